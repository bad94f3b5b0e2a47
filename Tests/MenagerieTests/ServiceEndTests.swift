import Foundation
import TestSupport
import Testing

/// Ends of the service: by SIGTERM, or by a failure.
@Suite("End of the service", .slow, .timeLimit(.minutes(5))) struct ServiceEndTests {
    @Test("Where the port is taken, the process says so, closes the history and exits with 1")
    func portIsTaken() async throws {
        let other = try ServiceProcess()
        let port = try await other.port()
        let service = try ServiceProcess(["http.port": String(port)])
        #expect(try await service.exitCode() == 1)
        let lines = service.log.split(separator: "\n")
        // This line appears only after everything was closed.
        #expect(lines.dropLast().last?.hasSuffix(" notice menagerie: Stopped") == true, "\(lines)")
        let error = try #require(lines.last)
        #expect(error.contains(" critical menagerie: The service cannot run error="), "\(error)")
        #expect(error.contains("cannot listen on 127.0.0.1:\(port), "), "\(error)")
        #expect(service.historyIsClosed)
        other.terminate()
        #expect(try await other.exitCode() == 0)
    }

    @Test("A second service on the same data directory warns of the first")
    func directoryIsShared() async throws {
        let first = try ServiceProcess()
        _ = try await first.port()
        let second = try ServiceProcess(in: first.folder)
        _ = try await second.port()
        let warning = #/ warning menagerie: Another service uses this data directory: .*process \d+/#
        #expect(second.log.contains(warning), "\(second.log)")
        #expect(!first.log.contains("Another service"))
        for service in [first, second] {
            service.terminate()
            #expect(try await service.exitCode() == 0)
        }
    }

    @Test("A second service on the same data directory leaves the uploads of the first alone")
    func uploadsAreNoLeftovers() async throws {
        let first = try ServiceProcess()
        let head = "POST /videos HTTP/1.1\r\nHost: localhost\r\nContent-Type: video/mp4\r\nContent-Length: 9999\r\n\r\n"
        let client = try await openClient(try await first.port(), sending: head + "moov")
        let videos = first.dataDirectory + "/videos"
        @Sendable func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: videos)) ?? [] }
        try await eventually { names().count == 1 }
        let uploads = names()
        // Folders are examined in the order of their names, so this one goes last.
        let leftover = videos + "/7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
        try FileManager.default.createDirectory(atPath: leftover, withIntermediateDirectories: false)
        let second = try ServiceProcess(in: first.folder)
        _ = try await second.port()
        try await eventually { !FileManager.default.fileExists(atPath: leftover) }
        #expect(names() == uploads)
        withExtendedLifetime((client, second)) {}
    }

    @Test("A reload during the start does not end the service")
    func reloadsBeforeItListens() async throws {
        let service = try ServiceProcess()
        try await eventually { FileManager.default.fileExists(atPath: service.dataDirectory + "/menagerie.pid") }
        service.signal(SIGHUP)
        _ = try await service.port()
        service.terminate()
        #expect(try await service.exitCode() == 0)
    }

    @Test("A reload without TLS tells of the keys alone")
    func reloadsWithoutCertificates() async throws {
        let service = try ServiceProcess(["security.create_key": "true"])
        _ = try await service.port()
        try await eventually(every: .milliseconds(100)) {
            service.signal(SIGHUP)
            return service.log.contains("Keys read again")
        }
        #expect(!service.log.contains("Certificates read again"))
        service.terminate()
        #expect(try await service.exitCode() == 0)
    }

    @Test("What fails before the service listens closes the history as well")
    func startFails() async throws {
        let service = try ServiceProcess(["http.tls_certificate": "/nowhere.pem"])
        #expect(try await service.exitCode() == 1)
        #expect(service.log.contains("http.tls_key"))
        #expect(service.historyIsClosed)
    }

    @Test("Every request that was answered has its line in the log after SIGTERM")
    func logIsWhole() async throws {
        let service = try ServiceProcess(["log.format": "text"])
        let port = try await service.port()
        let target = { (number: Int) in "/livez?number=\(number)" }
        let requests = (0..<100).map { "GET \(target($0)) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined()
        #expect(try await exchange(port, requests).count == 100)
        service.terminate()
        #expect(try await service.exitCode() == 0)
        let lines = service.log.split(separator: "\n")
        let targets = lines.compactMap { $0.firstMatch(of: #/ info menagerie\.access: Request .* target="(.*)"/#)?.1 }
        #expect(targets.map(String.init) == (0..<100).map(target))
        #expect(lines.last?.hasSuffix(" notice menagerie: Stopped") == true)
        #expect(service.historyIsClosed)
    }

    @Test("A level above info leaves the requests out")
    func levelIsRespected() async throws {
        let service = try ServiceProcess(["log.level": "notice", "log.format": "json"])
        // With this format, the line that names the port is a JSON object.
        try await eventually { service.log.contains("Listening") }
        let port = try #require(service.log.firstMatch(of: /"address":"127\.0\.0\.1:(\d+)"/)?.1)
        #expect(
            try await exchange(try #require(Int(port)), "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").count == 1)
        service.terminate()
        #expect(try await service.exitCode() == 0)
        for line in service.log.split(separator: "\n") {
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
            #expect(object["message"] != "Request")
        }
    }
}
