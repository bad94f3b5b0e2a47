import Base
import Foundation
import Logging
import Storage
import Testing
import TestSupport

/// Films that try to crash the service, to fill its disk, or to take all its places.
@Suite("Attacks with films", .serialized, .enabled(if: FilmMaker.isThere), .timeLimit(.minutes(5)))
struct FilmAttackTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func film(_ name: String, _ arguments: [String] = []) async throws -> [UInt8] {
        let file = URL(filePath: folder.path).appending(path: name)
        try await FilmMaker.render(
            [
                "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=5:duration=1", "-c:v", "libx264", "-preset",
                "ultrafast",
            ] + arguments, to: file)
        return [UInt8](try Data(contentsOf: file))
    }

    private func add(_ service: ServiceProcess, _ film: [UInt8], _ query: String = "every=5&detect=false") async throws
        -> RawResponse
    {
        try await service.request("POST", "/videos?\(query)", headers: [("Content-Type", "video/mp4")], body: film)
    }

    /// The film's length exceeds an Int of seconds.
    @Test func `a duration beyond all numbers is refused, and the service goes on`() async throws {
        var film = try await film("film.mp4")
        // The film has 2³² + 2 pictures of 2³¹ − 1 s each, and states no total length.
        let edits = try #require(film.firstRange(of: Array("edts".utf8)))
        film.replaceSubrange(edits, with: Array("free".utf8))
        func words(_ numbers: UInt32...) -> [UInt8] {
            numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        }
        grow(
            &film, "mdhd",
            Array("mdhd".utf8) + words(1 << 24, 0, 0, 0, 0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x55C4_0000))
        grow(&film, "stts", Array("stts".utf8) + words(0, 2, 0xFFFF_FFFF, 0x7FFF_FFFF, 3, 0x7FFF_FFFF))
        let service = try ServiceProcess(in: folder)
        let answer = try await add(service, film)
        #expect(answer.status == 422 && answer.text.contains("s are allowed"), "\(answer.text)")
        #expect(try await service.request("GET", "/livez").status == 200)
        try await service.kill()
    }

    /// Replaces a box inside moov, trak, mdia, minf and stbl.
    private func grow(_ film: inout [UInt8], _ name: String, _ content: [UInt8]) {
        func size(_ at: Int) -> Int { film[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        func bytes(_ size: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } }
        guard let found = film.firstRange(of: Array(name.utf8)) else { return }
        let start = found.lowerBound - 4
        let old = size(start)
        for parent in ["moov", "trak", "mdia", "minf", "stbl"] {
            guard let place = film.firstRange(of: Array(parent.utf8)).map({ $0.lowerBound - 4 }), place < start,
                start < place + size(place)
            else { continue }
            film.replaceSubrange(place..<place + 4, with: bytes(size(place) + content.count + 4 - old))
        }
        film.replaceSubrange(start..<start + old, with: bytes(content.count + 4) + content)
    }

    @Test func `a saved video with numbers beyond all does not end the next starts`() async throws {
        let film = try await film("film.mp4")
        var service = try ServiceProcess(in: folder)
        let path = try #require(try await add(service, film).headers["location"])
        _ = try await service.video(path, in: ["done"])
        try await service.kill()
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let history = try await HistoryStore.open(
            HistoryConfiguration(backend: .sqlite, directory: folder.path + "/data"), logger: quiet)
        let id = try #require(ULID(String(path.dropFirst("/videos/".count))))
        var row = try #require(try await history.scans.job("video", id: id))
        row.state = "waiting"
        var job = try #require(
            try JSONSerialization.jsonObject(with: Data(row.document.utf8)) as? [String: any Sendable])
        var info = try #require(job["info"] as? [String: any Sendable])
        (info["duration"], info["framesPerSecond"], info["frames"]) = (1e300, 1e-300, Int.max)
        (job["info"], job["state"], job["attempts"], job["progress"]) = (info, "waiting", Int.max, 1e300)
        (job["started"], job["looked"], job["milliseconds"]) = (1e300, Int.min, Int.max)
        row.document = String(decoding: try JSONSerialization.data(withJSONObject: job), as: UTF8.self)
        try await history.scans.saveJob(row)
        try await history.close()
        for _ in 0..<2 {
            service = try ServiceProcess(in: folder)
            #expect([200, 404].contains(try await service.request("GET", path).status))
            #expect(try await service.request("GET", "/videos").status == 200)
            #expect(try await service.request("GET", "/livez").status == 200)
            try await service.kill()
        }
    }

    @Test func `a request that announces much and hangs up removes nothing`() async throws {
        let film = try await film("film.mp4")
        let service = try ServiceProcess(["video.keep_bytes": "\(3 << 30)"], in: folder)
        var paths: [String] = []
        for _ in 0..<3 {
            paths.append(try #require(try await add(service, film).headers["location"]))
            _ = try await service.video(paths[paths.count - 1], in: ["done"])
        }
        let port = try await service.port()
        for _ in 0..<3 {
            try await onThread {
                let client = try RawClient(port: port)
                try client.send(
                    "POST /videos HTTP/1.1\r\nHost: localhost\r\nContent-Type: video/mp4\r\nContent-Length: \(2 << 30)"
                        + "\r\n\r\nabc")
            }
        }
        // The reserved space has been released. Otherwise the fourth film would not fit.
        paths.append(try #require(try await add(service, film).headers["location"]))
        for path in paths { #expect(try await service.request("GET", path).status == 200, "\(path)") }
        try await service.kill()
    }

    @Test func `of many at once so many are taken as there are places`() async throws {
        let film = try await film("film.mp4")
        let service = try ServiceProcess(["video.max_waiting": "2", "video.concurrency": "1"], in: folder)
        _ = try await service.port()
        let statuses = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let answer = try await add(service, film, "every=5")
                    let text = try await service.request("GET", "/videos?limit=100").object()
                    let open = (text["items"] as? [[String: any Sendable]] ?? []).count {
                        ["waiting", "working"].contains($0["state"] as? String)
                    }
                    return (answer.status, open)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { [202, 503].contains($0.0) && $0.1 <= 3 }, "\(statuses)")
        #expect(statuses.contains { $0.0 == 202 })
        // All places are free again.
        try await eventually { try await add(service, film).status == 202 }
        try await service.kill()
    }

    @Test func `many at once put no more on the disk than may come and stay`() async throws {
        let film = try await film("film.mp4")
        // Bytes after the last box are not part of the film.
        let large = film + [0, 0x10, 0, 0] + Array("free".utf8) + [UInt8](repeating: 0, count: (1 << 20) - 8)
        let kept = large.count * 5 / 4
        let service = try ServiceProcess(["video.keep_bytes": "\(kept)"], in: folder)
        let port = try await service.port()
        // Each client announces its film and sends half of it.
        let clients = try await onThread {
            try (0..<12).map { _ in
                let client = try RawClient(port: port)
                try client.send(
                    "POST /videos?detect=false HTTP/1.1\r\nHost: localhost\r\nContent-Type: video/mp4\r\n"
                        + "Content-Length: \(large.count)\r\n\r\n")
                try? client.send(Array(large.prefix(large.count / 2)))
                return client
            }
        }
        let statuses = try await onThread {
            clients.map { client in
                try? client.send(Array(large.dropFirst(large.count / 2)))
                // The connection of an early refusal may be reset.
                return (try? client.responses(1)[0].status) ?? 507
            }
        }
        #expect(statuses.count { $0 == 202 } == 1 && statuses.allSatisfy { [202, 507].contains($0) }, "\(statuses)")
        let held = try FileManager.default.subpathsOfDirectory(atPath: service.dataDirectory + "/videos").reduce(0) {
            let file = service.dataDirectory + "/videos/" + $1
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            return $0 + (attributes[.type] as? FileAttributeType == .typeRegular ? attributes[.size] as? Int ?? 0 : 0)
        }
        #expect(held <= kept)
        try await service.kill()
    }
}
