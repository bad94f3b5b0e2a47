import Base
import Foundation
import HTTP
import Storage
import Testing
import TestSupport

/// Imports of exported archives: large, repeated, interrupted, and after deletions.
@Suite struct ImportTests {
    private let photo: [UInt8]

    init() throws {
        photo = try #require(ClassifyTests.drawing)
    }

    private static var backends: [HistoryConfiguration.Backend] {
        let server = (try? PostgreSQLServer.shared.get().newDatabase()).map {
            HistoryConfiguration.Backend.postgreSQL(connectionString: $0)
        }
        return [.sqlite] + [server].compactMap(\.self)
    }

    private func fill(_ service: LiveService, _ count: Int) async throws -> [String] {
        var ids: [String] = []
        for _ in 0..<count {
            ids.append(try #require(try await service.classify(photo, query: "").object()["id"] as? String))
        }
        return ids
    }

    private func export(_ service: LiveService, _ format: String = "zip") async throws -> [UInt8] {
        try await service.request("GET", "/history/export?format=\(format)").body
    }

    private func importing(
        _ service: LiveService, _ bytes: [UInt8], type: String = "application/zip", accept: String = "*/*"
    ) async throws -> RawResponse {
        try await service.request(
            "POST", "/history/import", headers: [("Content-Type", type), ("Accept", accept)], body: bytes)
    }

    private func expectPhotos(_ service: LiveService, _ ids: [String]) async throws {
        #expect(try await service.request("GET", "/history").object()["total"] as? Int == ids.count)
        for id in ids { #expect(try await service.request("GET", "/history/\(id)/photo").status == 200) }
        #expect(try await service.history.checkIntegrity().problems == [])
    }

    @Test func whatWasDeletedComesBackAndUndoIsHarmless() async throws {
        for backend in Self.backends {
            let clock = Locked(Date())
            try await withOwnService(backend: backend, now: { clock.withLock { $0 } }) { service in
                let ids = try await fill(service, 3)
                #expect(try await service.request("PUT", "/breeds/siamese/favourite", body: []).status == 204)
                let archive = try await export(service)
                let deleted = try await service.request("DELETE", "/history")
                let undo = try #require(deleted.headers["link"]?.split(separator: ">").first?.dropFirst())
                #expect(try await service.request("DELETE", "/breeds/siamese/favourite").status == 204)
                let report = try await importing(service, archive).object()
                #expect(report["imported"] as? Int == 3 && report["favourites"] as? Int == 1)
                try await expectPhotos(service, ids)
                #expect(try await service.request("POST", String(undo), body: []).status == 410)
                try await expectPhotos(service, ids)
                let favourites = try await service.request("GET", "/favourites").items()
                #expect(favourites.compactMap { $0["id"] as? String } == ["siamese"])
                // The import comes after the deletion, and again after the grace period.
                clock.withLock { $0 += 700 }
                _ = try await service.history.maintain()
                try await expectPhotos(service, ids)
                _ = try await service.request("DELETE", "/history")
                clock.withLock { $0 += 700 }
                _ = try await service.history.maintain()
                #expect(try await importing(service, archive).object()["imported"] as? Int == 3)
                try await expectPhotos(service, ids)
            }
        }
    }

    @Test func linesBringADeletedScanBackWithThePhotoThatIsStillThere() async throws {
        try await withOwnService(backend: .sqlite) { service in
            let ids = try await fill(service, 2)
            let lines = try await export(service, "jsonl")
            _ = try await service.request("DELETE", "/history")
            let report = try await importing(service, lines, type: "application/x-ndjson").object()
            #expect(report["imported"] as? Int == 2, "\(report)")
            try await expectPhotos(service, ids)
            // A scan that had no photo gets none.
            let bare = String(decoding: lines, as: UTF8.self).replacing(/"photo":\{[^}]*\}/, with: "\"photo\":null")
            _ = try await service.request("DELETE", "/history")
            let second = try await importing(service, Array(bare.utf8), type: "application/x-ndjson").object()
            #expect(second["imported"] as? Int == 2, "\(second)")
            for id in ids { #expect(try await service.request("GET", "/history/\(id)/photo").status == 404) }
        }
    }

    @Test func anExportMayBeLargerThanAnUpload() async throws {
        let limit = photo.count + 1_000
        try await withOwnService(backend: .sqlite, bodyLimit: limit) { service in
            let ids = try await fill(service, 3)
            let archive = try await export(service)
            #expect(archive.count > limit)
            let large = try await service.classify([UInt8](repeating: 0, count: limit + 1))
            #expect(large.status == 413, "\(large.text)")
            _ = try await service.request("DELETE", "/history")
            #expect(try await importing(service, archive).object()["imported"] as? Int == 3)
            try await expectPhotos(service, ids)
            // No temporary file remains beside the history.
            let spool = service.dataDirectory + "/imports"
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [])

            // The body comes in chunks, without an announced length.
            _ = try await service.request("DELETE", "/history")
            let port = service.port
            let chunked = try await onThread {
                let client = try RawClient(port: port)
                try client.send(
                    "POST /history/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/zip\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n")
                for start in stride(from: 0, to: archive.count, by: 10_000) {
                    let piece = archive[start..<min(start + 10_000, archive.count)]
                    try client.send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
                }
                try client.send("0\r\n\r\n")
                return try client.responses(1)[0]
            }
            #expect(try chunked.object()["imported"] as? Int == 3)
        }
    }

    @Test func theOperatorSaysHowLargeAnImportMayBe() async throws {
        try await withOwnService(importLimit: 10_000) { service in
            let answer = try await importing(service, [UInt8](repeating: 0, count: 10_001))
            #expect(answer.status == 413 && answer.text.contains("10000 bytes"), "\(answer.text)")
            #expect(try await importing(service, [UInt8](repeating: 0, count: 10_000)).status == 400)
            // Compression does not evade the limit. These bytes unpack to 100,000.
            let packed = try Gzip.compress([UInt8](repeating: 0, count: 100_000), level: 9)
            #expect(packed.count < 10_000)
            let bomb = try await service.request(
                "POST", "/history/import",
                headers: [("Content-Type", "application/zip"), ("Content-Encoding", "gzip")], body: packed)
            #expect(bomb.status == 413, "\(bomb.text)")
        }
    }

    @Test func eventsTellHowFarItIs() async throws {
        try await withOwnService { first in
            _ = try await fill(first, 3)
            let archive = try await export(first)
            try await withOwnService { second in
                let answer = try await importing(second, archive, accept: "text/event-stream")
                #expect(answer.headers["content-type"] == "text/event-stream", "\(answer.text)")
                let events = answer.text.components(separatedBy: "\n\n").filter { !$0.isEmpty }
                #expect(events.first?.hasPrefix("event: progress\ndata: {") == true, "\(answer.text)")
                #expect(events.first?.contains("\"processed\":0,\"total\":3") == true, "\(answer.text)")
                let done = try #require(events.last)
                #expect(done.hasPrefix("event: done\n") && done.contains("\"imported\":3"), "\(done)")
                // A fault found before the import began is an ordinary problem.
                #expect(try await importing(second, [1, 2, 3], accept: "text/event-stream").status == 400)
                let lines = Array("nonsense\n".utf8)
                let failed = try await importing(
                    second, lines, type: "application/x-ndjson", accept: "text/event-stream")
                #expect(failed.status == 200 && failed.text.contains("event: failed\n"), "\(failed.text)")
                #expect(failed.text.contains("/problems/nothing-imported"))
                #expect(try await importing(second, archive, accept: "image/png").status == 406)
            }
        }
    }

    @Test func aClientThatLeavesHarmsNobody() async throws {
        try await withOwnService(backend: .sqlite) { service in
            let ids = try await fill(service, 2)
            let archive = try await export(service)
            _ = try await service.request("DELETE", "/history")
            let port = service.port
            for count in [0, 1_000, archive.count / 2, archive.count - 1] {
                try await onThread {
                    let client = try RawClient(port: port)
                    try client.send(
                        "POST /history/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/zip\r\n"
                            + "Content-Length: \(archive.count)\r\n\r\n")
                    try client.send(Array(archive.prefix(count)))
                    client.reset()
                }
            }
            // Only one import runs at a time. The next waits until the service has noticed that the clients are gone.
            var report = try await importing(service, archive)
            for _ in 0..<500 where report.status == 503 {
                try await Task.sleep(for: .milliseconds(10))
                report = try await importing(service, archive)
            }
            #expect(try report.object()["imported"] as? Int == 2, "\(report.text)")
            try await expectPhotos(service, ids)
            let spool = service.dataDirectory + "/imports"
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [])
        }
    }

    @Test func aDamagedPhotoKeepsItsScanOutUntilAWholeOneComes() async throws {
        try await withOwnService { first in
            let ids = try await fill(first, 2)
            let archive = try await export(first)
            var damaged = archive
            // This byte is in the archive's first photo, which belongs to the newer scan.
            damaged[2_000] ^= 0xFF
            try await withOwnService { second in
                let report = try await importing(second, damaged).object()
                #expect(report["imported"] as? Int == 1 && report["failed"] as? Int == 1)
                #expect(try await second.request("GET", "/history/\(ids[1])").status == 404)
                let again = try await importing(second, archive).object()
                #expect(again["imported"] as? Int == 1 && again["skipped"] as? Int == 1)
                try await expectPhotos(second, ids)
            }
        }
    }

    @Test func aScanThatCameByLinesGetsItsPhotoFromAnArchive() async throws {
        try await withOwnService { first in
            let ids = try await fill(first, 2)
            let (lines, archive) = (try await export(first, "jsonl"), try await export(first))
            try await withOwnService(backend: .sqlite) { second in
                _ = try await importing(second, lines, type: "application/x-ndjson")
                #expect(try await second.request("GET", "/history/\(ids[0])/photo").status == 404)
                #expect(try await importing(second, archive).object()["imported"] as? Int == 2)
                try await expectPhotos(second, ids)
            }
        }
    }

    /// Another program packed the archive again: in a folder, in any order, compressed.
    @Test func archivesThatWerePackedAnewAreRead() async throws {
        try await withOwnService { first in
            let ids = try await fill(first, 2)
            let folder = try TemporaryFolder()
            try folder.write(try await export(first), "a.zip")
            let script = """
                cd \(folder.path) && unzip -q a.zip -d history && rm history/manifest.json \
                && zip -q -9 -r b.zip history && cat b.zip
                """
            let packed = try await onThread {
                let process = Process()
                process.executableURL = URL(filePath: "/bin/sh")
                process.arguments = ["-c", script]
                let output = Pipe()
                process.standardOutput = output
                try process.run()
                let bytes = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                return Array(bytes)
            }
            try await withOwnService { second in
                let report = try await importing(second, packed)
                #expect(try report.object()["imported"] as? Int == 2, "\(report.text)")
                try await expectPhotos(second, ids)
            }
        }
    }

    @Test func favouritesCountOnceAndWrongOnesStopAnImportBeforeItBegins() async throws {
        func archive(favourites: String) -> [UInt8] {
            let manifest = """
                {"format": "menagerie-history", "version": 1, "created_at": "2026-03-01T12:00:00Z", "scans": 0, \
                "photos": 0, "lost_photos": 0, "filtered": false, "favourites": \(favourites)}
                """
            var archive = ZIPWriter()
            return archive.entry("manifest.json", Array(manifest.utf8), modified: Date()) + archive.finish()
        }
        try await withOwnService { service in
            let twice = try await importing(service, archive(favourites: #"["siamese", "siamese"]"#))
            #expect(try twice.object()["favourites"] as? Int == 1, "\(twice.text)")
            for wrong in [#""""#, #""a\u0000""#, "\"\(String(repeating: "a", count: 201))\""] {
                let refused = try await importing(service, archive(favourites: "[\"pug\", \(wrong)]"))
                #expect(refused.status == 400 && refused.text.contains("a favourite in its manifest.json"))
            }
            let favourites = try await service.request("GET", "/favourites").items()
            #expect(favourites.compactMap { $0["id"] as? String } == ["siamese"])
        }
    }

    @Test func aLineIsNotHeldInMemoryWithoutEnd() async throws {
        try await withOwnService { service in
            _ = try await fill(service, 1)
            let lines = try await export(service, "jsonl")
            let long = Array(repeating: UInt8(ascii: "x"), count: 3 << 20)
            try await withOwnService { other in
                let report = try await importing(
                    other, long + [0x0A] + lines, type: "application/x-ndjson"
                ).object()
                #expect(report["imported"] as? Int == 1 && report["failed"] as? Int == 1)
                let errors = try #require(report["errors"] as? [[String: any Sendable]])
                #expect(errors.first?["place"] as? String == "line 1")
            }
        }
    }
}
