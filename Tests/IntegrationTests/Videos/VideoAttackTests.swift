import Foundation
import Glibc
import TestSupport
import Testing

/// Hostile and broken films over real sockets. Each is refused with the reason and leaves no files. The next film is
/// analysed as usual.
@Suite("Bad films", .enabled(if: FilmMaker.isThere), .timeLimit(.minutes(10))) struct VideoAttackTests {
    private static let picture = ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=1"]
    private static let fast = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]

    private func render(_ arguments: [String], _ name: String = "film.mp4") async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.path).appending(path: name)
        try await FilmMaker.render(arguments, to: file)
        defer { withExtendedLifetime(folder) {} }
        return [UInt8](try Data(contentsOf: file))
    }

    private func refuse(
        _ bytes: [UInt8], _ status: Int = 422, _ words: String, type: String = "video/mp4", _ service: LiveService,
        _ what: String
    ) async throws {
        let answer = try await service.addVideo(bytes, type: type)
        #expect(answer.status == status, "\(what): \(answer.status) \(answer.text)")
        #expect(answer.headers["content-type"] == "application/problem+json", "\(what)")
        #expect(answer.text.contains(words), "\(what): \(answer.text)")
        #expect(service.videoFolders.isEmpty, "\(what)")
    }

    @Test func `an invalid or unsupported film gives the reason`() async throws {
        let sound = try await render(["-f", "lavfi", "-i", "sine=duration=1", "-c:a", "aac"])
        let whole = try await render(Self.picture + Self.fast)
        let large = try await render(
            ["-f", "lavfi", "-i", "color=size=10000x10000:rate=1:duration=1", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"],
            "large.avi")
        let day = try await render(
            [
                "-f", "lavfi", "-i", "color=size=64x64:rate=1/60:duration=86400", "-c:v", "mpeg2video", "-r", "25",
                "-vsync", "passthrough",
            ])
        // The AVI's header states 16 × 16 pixels, but its pictures have 10,000 × 10,000.
        var lying = large
        let format = try #require(lying.firstRange(of: Array("strf".utf8)))
        for offset in [12, 16] {
            for byte in 0..<4 { lying[format.lowerBound + offset + byte] = byte == 0 ? 16 : 0 }
        }
        // 64 MB of zeros in a few kilobytes, and zeros behind the first bytes of a ZIP archive.
        let bomb = try await gzip(zeros: 64 << 20)
        try await withOwnService { service in
            try await refuse([], 400, "no bytes", service, "zero length")
            try await refuse(sound, 422, "no moving pictures", service, "no pictures")
            try await refuse(Array(whole.prefix(whole.count / 2)), 422, "its index is missing", service, "truncated")
            try await refuse(large, 422, "10000 × 10000", type: "video/x-msvideo", service, "10,000 × 10,000")
            try await refuse(lying, 422, "10000 × 10000", type: "video/x-msvideo", service, "a lying header")
            try await refuse(day, 422, "s are allowed", service, "24 hours")
            try await refuse(bomb, 422, "not a video in MP4", service, "an archive bomb")
            try await refuse(
                [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 400), 422, "not a video in MP4", service, "ZIP")
            try await refuse(bomb, 415, "video/*", type: "application/gzip", service, "an archive that says so")
            try await refuse(
                [UInt8](repeating: 0, count: 1 << 20), 422, "not a video in MP4", service, "nothing but zeros")
            try await thisOneWorks(whole, service)
        }
    }

    @Test func `a film that is cut off or damaged shows its readable part, and says so`() async throws {
        let film = try await render(
            ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=8"] + Self.fast
                + ["-g", "10", "-movflags", "+faststart"])
        try await withOwnService { service in
            let cut = try await service.addVideo(Array(film.prefix(film.count / 2)), query: "every=1")
            #expect(cut.status == 202, "\(cut.text)")
            let video = try await service.endOfVideo(try #require(cut.headers["location"]))
            #expect(video["state"] as? String == "done")
            let warnings = video["warnings"] as? [[String: any Sendable]] ?? []
            #expect(warnings.contains { $0["code"] as? String == "truncated" }, "\(warnings)")
            var broken = film
            for index in stride(from: film.count * 2 / 3, to: film.count * 2 / 3 + 400, by: 1) { broken[index] = 0xFF }
            let damaged = try await service.addVideo(broken, query: "every=1")
            let second = try await service.endOfVideo(try #require(damaged.headers["location"]))
            #expect(["done", "failed"].contains(second["state"] as? String), "\(second)")
            if second["state"] as? String == "failed" { #expect(second["problem"] != nil) }
        }
    }

    @Test func `playlists lead nowhere`() async throws {
        let trap = try Trap()
        let address = "http://127.0.0.1:\(trap.port)/a"
        let secret = LiveService.package.appending(path: "Tests/Photos/cat.jpg").path
        let playlists = [
            "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n\(address).ts\n#EXT-X-ENDLIST\n",
            "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n\(secret)\n#EXT-X-ENDLIST\n",
            "ffconcat version 1.0\nfile '\(secret)'\n",
            "ffconcat version 1.0\nfile '\(address).mp4'\n",
            "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video \(trap.port) RTP/AVP 96\n",
            "<asx version=\"3.0\"><entry><ref href=\"\(address)\"/></entry></asx>",
        ]
        try await withOwnService { service in
            for playlist in playlists {
                for type in ["video/mp4", "application/octet-stream"] {
                    try await refuse(
                        Array(playlist.utf8), 422, "refers to other files", type: type, service, playlist)
                }
            }
            #expect(!trap.isSprung)
        }
    }

    @Test func `films beyond the last place are refused before they are read`() async throws {
        let film = try await render(
            ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=20"] + Self.fast)
        try await withOwnService { service in
            var refused: RawResponse?
            var paths: [String] = []
            for _ in 0..<40 where refused == nil {
                let answer = try await service.addVideo(film, query: "every=25")
                if answer.status == 202 {
                    paths.append(try #require(answer.headers["location"]))
                } else {
                    refused = answer
                }
            }
            #expect(refused?.status == 503 && refused?.headers["retry-after"] != nil, "\(refused?.text ?? "none")")
            // One video is in work and sixteen wait.
            #expect(paths.count >= 17)
            for path in paths { #expect([204, 404].contains(try await service.request("DELETE", path).status)) }
            #expect(service.videoFolders.isEmpty)
            try await thisOneWorks(try await render(Self.picture + Self.fast), service)
        }
    }

    private func thisOneWorks(_ film: [UInt8], _ service: LiveService) async throws {
        let added = try await service.addVideo(film, query: "every=1")
        #expect(added.status == 202, "\(added.text)")
        let path = try #require(added.headers["location"])
        #expect(try await service.endOfVideo(path)["state"] as? String == "done")
    }

    private func gzip(zeros count: Int) async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try folder.write([], "zeros")
        truncate(folder.path + "/zeros", count)
        let result = try await Program(path: "/bin/sh").run(["-c", "gzip -9 -c zeros >zeros.gz"], in: folder.path)
        #expect(result.status == 0)
        return [UInt8](try Data(contentsOf: URL(filePath: folder.path).appending(path: "zeros.gz")))
    }

    /// A listener on a free port that no film may contact.
    private final class Trap {
        let port: Int
        private let descriptor: CInt

        init() throws {
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                        ? getsockname(descriptor, $0, &length) : -1
                }
            }
            guard code == 0 else { throw RawClient.Failure(description: "listen: errno \(errno)") }
            self.descriptor = descriptor
            port = Int(UInt16(bigEndian: address.sin_port))
        }

        deinit { close(descriptor) }

        var isSprung: Bool {
            let caller = accept(descriptor, nil, nil)
            if caller >= 0 { close(caller) }
            return caller >= 0
        }
    }
}
