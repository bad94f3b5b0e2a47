import Foundation
import TestSupport
import Testing

/// An import that is interrupted by a loss of power.
@Suite("Death during an import", .slow, .timeLimit(.minutes(5))) struct ImportKillTests {
    private static let scans = 150

    private func total(_ service: ServiceProcess) async throws -> Int {
        let answer = try await service.request("GET", "/history")
        let object = try #require(JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        return try #require(object["total"] as? Int)
    }

    /// An archive with this many scans of one photo. The pixels do not matter here.
    private func takeOut() async throws -> [UInt8] {
        let photo = try Data(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Photos/cat.jpg"))
        let service = try ServiceProcess()
        for _ in 0..<Self.scans {
            let answer = try await service.request(
                "POST", "/classify?heads=presence", headers: [("Content-Type", "image/jpeg")], body: Array(photo))
            try #require(answer.status == 200, "\(answer.text)")
        }
        let archive = try await service.request("GET", "/history/export?format=zip").body
        service.terminate()
        #expect(try await service.exitCode() == 0)
        return archive
    }

    @Test func whatCameIsWholeAndTheSameFileBringsTheRest() async throws {
        let archive = try await takeOut()
        let folder = try TemporaryFolder()
        var killedInTheMiddle = false
        for patience in [5, 30, 80] {
            let service = try ServiceProcess(in: folder)
            let before = try await total(service)
            let port = try await service.port()
            let client = try await onThread {
                let client = try RawClient(port: port)
                try client.send(
                    "POST /history/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/zip\r\n"
                        + "Accept: text/event-stream\r\nContent-Length: \(archive.count)\r\n\r\n")
                try client.send(archive)
                return client
            }
            // Waits until this many more scans exist.
            while try await total(service) < min(before + patience, Self.scans) {
                try await Task.sleep(for: .milliseconds(1))
            }
            try await service.kill()
            _ = client
            let check = try await Program.menagerie.run(["check", "--data-dir", folder.path + "/data"])
            #expect(check.status == 0, "\(check.output)\(check.errors)")
            let again = try ServiceProcess(in: folder)
            let kept = try await total(again)
            #expect(kept >= before + patience || kept == Self.scans)
            if kept < Self.scans { killedInTheMiddle = true }
            try await again.kill()
        }
        #expect(killedInTheMiddle, "every import was over before the process died: nothing was tried")

        let service = try ServiceProcess(in: folder)
        let report = try await service.request(
            "POST", "/history/import", headers: [("Content-Type", "application/zip")], body: archive)
        #expect(report.status == 200, "\(report.text)")
        #expect(try await total(service) == Self.scans)
        service.terminate()
        #expect(try await service.exitCode() == 0)
        let check = try await Program.menagerie.run(["check", "--data-dir", folder.path + "/data"])
        #expect(check.status == 0, "\(check.output)\(check.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/imports") == [])
    }
}
