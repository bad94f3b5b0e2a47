import Foundation
import Storage
import Testing
import TestSupport

/// Two built services on one database. Changes by `menagerie keys` hold at both.
@Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct SharedKeysProgramTests {
    private let settings: [String: String]
    private let folders: [TemporaryFolder]

    init() throws {
        settings = [
            "history.backend": "postgresql",
            "history.postgresql_url": try PostgreSQLServer.shared.get().newDatabase(),
            // The tests send a new key repeatedly until the replica knows it.
            "security.wrong_keys_per_minute": "0",
        ]
        folders = [try TemporaryFolder(), try TemporaryFolder()]
    }

    /// - Parameter folder: holds the data directory for the command.
    private func keys(_ arguments: [String], in folder: TemporaryFolder) async throws -> String {
        let flags = settings.sorted { $0.key < $1.key }.flatMap { ["--set", "\($0.key)=\($0.value)"] }
        let run = try await Program.menagerie.run(
            ["keys"] + arguments + ["--data-dir", folder.path + "/data"] + flags)
        #expect(run.status == 0, "\(run.errors)")
        return run.output.trimmingCharacters(in: .newlines)
    }

    private func status(
        _ service: ServiceProcess, _ method: String, _ target: String, _ key: String
    ) async throws -> Int {
        try await service.request(method, target, headers: [("Authorization", "Bearer \(key)")]).status
    }

    /// Opens `GET /live`.
    private func camera(at service: ServiceProcess, headers: [(String, String)]) async throws -> RawClient {
        let port = try await service.port()
        return try await onThread {
            let client = try RawClient(port: port)
            try client.send(
                "GET /live?detect=false HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    + headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n")
            let head = String(decoding: try client.receive(), as: UTF8.self)
            try #require(head.hasPrefix("HTTP/1.1 101 "), "\(head)")
            return client
        }
    }

    @Test func `keys that are made, replaced and removed at one replica are so at all`() async throws {
        // The first replica has a key file of an earlier release. The second has a copy of it.
        let program = Program.menagerie
        let old = try await program.run(
            ["keys", "add", "boss", "--role", "admin", "--data-dir", folders[0].path + "/data"])
        let boss = old.output.trimmingCharacters(in: .newlines)
        try FileManager.default.createDirectory(
            atPath: folders[1].path + "/data", withIntermediateDirectories: true)
        let (file, copy) = (folders[0].path + "/data/keys.json", folders[1].path + "/data/keys.json")
        try FileManager.default.copyItem(atPath: file, toPath: copy)
        var services: [ServiceProcess] = []
        for folder in folders {
            let service = try ServiceProcess(settings, in: folder)
            services.append(service)
            _ = try await service.port()
        }
        defer { services.forEach { $0.terminate() } }
        #expect(services[0].log.contains("has taken over the keys of a file"))
        #expect(services[1].log.contains("The keys in the database count"))
        for service in services { #expect(try await status(service, "GET", "/metrics", boss) == 200) }

        let reader = try await keys(["add", "school", "--role", "reader"], in: folders[1])
        for service in services {
            try await eventually { try await status(service, "GET", "/history", reader) == 200 }
            #expect(try await status(service, "DELETE", "/history", reader) == 403)
        }
        let rotated = try await keys(["rotate", "school"], in: folders[0])
        for service in services {
            try await eventually { try await status(service, "GET", "/history", reader) == 401 }
            #expect(try await status(service, "GET", "/history", rotated) == 200)
        }
        // A session that ends at one replica ends at all of them, and stays ended after a restart. Another session of
        // the same key continues.
        func signIn(at service: ServiceProcess) async throws -> [(String, String)] {
            let answer = try await service.request("POST", "/session", body: "{\"key\": \"\(boss)\"}")
            return [("Cookie", String(try #require(answer.headers["set-cookie"]?.split(separator: ";").first)))]
        }
        let (over, other) = (try await signIn(at: services[0]), try await signIn(at: services[0]))
        let (gone, kept) = (
            try await camera(at: services[0], headers: over), try await camera(at: services[0], headers: other)
        )
        for service in services { #expect(try await service.request("GET", "/metrics", headers: over).status == 200) }
        #expect(try await services[1].request("DELETE", "/session", headers: over).status == 204)
        #expect(try await services[1].request("GET", "/metrics", headers: over).status == 401)
        try await eventually { try await services[0].request("GET", "/metrics", headers: over).status == 401 }
        // Its open stream at the other replica closes with 1008 (policy violation).
        let end = try await onThread { try gone.receive() }
        #expect(end == [0x88, 2, 0x03, 0xF0])
        try await onThread { try kept.send([0x89, 0x80, 0, 0, 0, 0]) }
        #expect(try await onThread { try kept.receive() } == [0x8A, 0])
        services[1].terminate()
        #expect(try await services[1].exitCode() == 0)
        services[1] = try ServiceProcess(settings, in: folders[1])
        _ = try await services[1].port()
        for service in services {
            #expect(try await service.request("GET", "/metrics", headers: over).status == 401)
            #expect(try await service.request("GET", "/metrics", headers: other).status == 200)
        }

        // Removing the key ends its sessions at the other replica.
        let signedIn = try await services[0].request("POST", "/session", body: "{\"key\": \"\(boss)\"}")
        let cookie = String(try #require(signedIn.headers["set-cookie"]?.split(separator: ";").first))
        let session = { try await services[1].request("GET", "/metrics", headers: [("Cookie", cookie)]).status }
        #expect(try await session() == 200)
        _ = try await keys(["remove", "boss"], in: folders[1])
        try await eventually { try await session() == 401 }
        for service in services { try await eventually { try await status(service, "GET", "/metrics", boss) == 401 } }

        // A replica that restarts does not bring the key back from its file.
        services[0].terminate()
        #expect(try await services[0].exitCode() == 0)
        services[0] = try ServiceProcess(settings, in: folders[0])
        _ = try await services[0].port()
        #expect(try await status(services[0], "GET", "/metrics", boss) == 401)
        let list = try await keys(["list"], in: folders[0])
        #expect(list.contains("school") && list.contains("reader") && !list.contains("boss"))
    }
}
