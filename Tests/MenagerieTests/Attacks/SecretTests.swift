import Foundation
import TestSupport
import Testing

/// Access to the built program, and secrets in its output.
@Suite(.slow, .serialized) struct SecretTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func addKey(_ name: String, _ role: String) async throws -> String {
        let made = try await Program.menagerie.run(
            ["keys", "add", name, "--role", role, "--data-dir", folder.path + "/data"])
        #expect(made.status == 0, "\(made.errors)")
        let key = made.output.trimmingCharacters(in: .newlines)
        #expect(key.wholeMatch(of: /menagerie_[A-Za-z0-9_-]{43}/) != nil)
        #expect(!made.errors.contains(key))
        return key
    }

    @Test func theListOfKeysHasWholeNames() async throws {
        let names = ["आनिका का फ़ोन", "👩‍👧 iPad", "boss"]
        for name in names { _ = try await addKey(name, "user") }
        let list = try await Program.menagerie.run(["keys", "list", "--data-dir", folder.path + "/data"])
        for name in names { #expect(list.output.contains("\n\(name)  "), "\(list.output)") }
    }

    @Test func withoutKeysItDoesNotListenWhereOthersReachIt() async throws {
        let answer = try await Program.menagerie.run(
            ["serve", "--host", "0.0.0.0", "--port", "0", "--data-dir", folder.path + "/data"])
        #expect(answer.status == 1)
        #expect(answer.errors.contains("security.keys") && answer.errors.contains("security.open=true"))
        #expect(!answer.errors.contains("Listening"))
    }

    @Test func theFirstKeyIsPrintedOnceAndWorks() async throws {
        let settings = ["http.host": "0.0.0.0", "security.create_key": "true"]
        let first = try ServiceProcess(settings, in: folder)
        defer { first.terminate() }
        _ = try await first.port()
        let found = try #require(first.log.firstMatch(of: /menagerie_[A-Za-z0-9_-]{43}/))
        let key = String(found.output)
        #expect(first.log.matches(of: /menagerie_[A-Za-z0-9_-]{43}/).count == 1)
        #expect(try await first.request("GET", "/metrics").status == 401)
        #expect(try await first.request("GET", "/metrics", headers: [("Authorization", "Bearer \(key)")]).status == 200)
        first.terminate()
        #expect(try await first.exitCode() == 0)
        let second = try ServiceProcess(settings, in: folder)
        defer { second.terminate() }
        _ = try await second.port()
        #expect(second.log.firstMatch(of: /menagerie_[A-Za-z0-9_-]{43}/) == nil)
        #expect(
            try await second.request("GET", "/metrics", headers: [("Authorization", "Bearer \(key)")]).status == 200)
    }

    @Test func noKeyComesOutAndARemovedOneEndsWhileItRuns() async throws {
        let (user, admin) = (try await addKey("Anna's phone", "user"), try await addKey("boss", "admin"))
        let service = try ServiceProcess(["log.level": "trace", "log.trace_context": "true"], in: folder)
        defer { service.terminate() }
        func bearer(_ key: String) -> [(String, String)] { [("Authorization", "Bearer \(key)")] }

        // Everything that may contain a key: right, wrong, in a session, in an unreadable body.
        let signedIn = try await service.request("POST", "/session", body: "{\"key\": \"\(user)\"}")
        #expect(signedIn.status == 200)
        let cookie = String(try #require(signedIn.headers["set-cookie"]?.split(separator: ";").first))
        let answers = [
            signedIn, try await service.request("GET", "/history", headers: bearer(user)),
            try await service.request("GET", "/history", headers: [("Cookie", cookie)]),
            try await service.request("GET", "/history", headers: bearer(user + "x")),
            try await service.request("GET", "/history?key=\(user)"),
            try await service.request("DELETE", "/history", headers: bearer(user)),
            try await service.request("POST", "/session", body: "{\"kee\": \"\(user)\"}"),
            try await service.request("POST", "/session", body: "{\"key\": \"\(user)x\"}"),
            try await service.request("GET", "/session", headers: bearer(admin)),
            try await service.request("GET", "/openapi.json"),
        ]
        #expect(answers.map(\.status) == [200, 200, 200, 401, 401, 403, 400, 401, 200, 200])
        let metrics = try await service.request("GET", "/metrics", headers: bearer(admin))
        let process = "/proc/\(service.identifier)/"
        let file = try String(contentsOfFile: folder.path + "/data/keys.json", encoding: .utf8)
        let seen =
            try [
                service.log, String(contentsOfFile: process + "cmdline", encoding: .utf8),
                String(contentsOfFile: process + "environ", encoding: .utf8), file, metrics.text,
            ] + answers.map(\.text)
        let session = try #require(cookie.split(separator: "=").last)
        let digests = file.matches(of: /"sha256":"([0-9a-f]{64})"/).map { String($0.output.1) }
        #expect(digests.count == 2)
        for (index, text) in seen.enumerated() {
            for secret in [user, admin].map({ $0.dropFirst("menagerie_".count) }) + [session] {
                #expect(!text.contains(secret), "\(index): \(text)")
            }
            // Only this file holds the digests.
            if text != file { for digest in digests { #expect(!text.contains(digest), "\(index)") } }
        }

        // The service notices the removal by itself, and at once after a signal.
        let removed = try await Program.menagerie.run([
            "keys", "remove", "Anna's phone", "--data-dir", folder.path + "/data",
        ])
        #expect(removed.status == 0)
        try await eventually { try await service.request("GET", "/history", headers: bearer(user)).status == 401 }
        #expect(try await service.request("GET", "/history", headers: [("Cookie", cookie)]).status == 401)
        #expect(try await service.request("GET", "/metrics", headers: bearer(admin)).status == 200)
        let replaced = try await Program.menagerie.run(["keys", "rotate", "boss", "--data-dir", folder.path + "/data"])
        let new = replaced.output.trimmingCharacters(in: .newlines)
        service.signal(SIGHUP)
        try await eventually { try await service.request("GET", "/metrics", headers: bearer(new)).status == 200 }
        #expect(try await service.request("GET", "/metrics", headers: bearer(admin)).status == 401)
        let list = try await Program.menagerie.run(["keys", "list", "--data-dir", folder.path + "/data"])
        #expect(list.output.contains("boss") && !list.output.contains("Anna") && !list.output.contains(new))
    }

    @Test(arguments: [
        "postgresql://anna:s3cr3tpw@127.0.0.1:1/db", "postgresql://anna:s3cr3tpw%zz@127.0.0.1/db",
        "postgresql://anna:x@s3cr3tpw@127.0.0.1/db", "postgres//anna:s3cr3tpw@127.0.0.1/db",
        "host=127.0.0.1 port=1 password=s3cr3tpw bogus=s3cr3tpw", "host=127.0.0.1 port=1 password='s3cr3tpw",
    ])
    func aPasswordFromAFileComesOutNowhere(address: String) async throws {
        try folder.write(Array((address + "\n").utf8), "secret")
        // This folder shows that the path is a data folder beside a PostgreSQL server, not a typing error.
        try folder.write([], "data/photos/none")
        let answer = try await Program.menagerie.run(
            [
                "check", "--data-dir", folder.path + "/data", "--set", "history.backend=postgresql", "--log-level",
                "trace",
            ],
            environment: ["MENAGERIE_HISTORY_POSTGRESQL_URL_FILE": folder.path + "/secret"])
        #expect(answer.status == 1)
        #expect(answer.errors.contains("PostgreSQL"), "\(answer.errors)")
        #expect(!answer.errors.contains("s3cr3tpw") && !answer.output.contains("s3cr3tpw"), "\(answer.errors)")
    }
}
