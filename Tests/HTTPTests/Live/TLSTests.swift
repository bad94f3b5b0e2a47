import Base
import Foundation
import Logging
import TestSupport
import Testing

@testable import HTTP

/// HTTPS with real clients: curl and `openssl s_client`.
@Suite(.enabled(if: Command.isThere("curl") && Command.isThere("openssl")), .timeLimit(.minutes(5)))
struct TLSTests {
    /// Runs a test against a server with a new certificate.
    private func withTLS<Result>(
        _ router: Router = .sample, change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (_ port: Int, _ server: Server, _ certificate: Certificate) async throws -> Result
    ) async throws -> Result {
        let certificate = try await Certificate.make()
        defer { certificate.remove() }
        var configuration = ServerConfiguration.standard
        configuration.tls = TLSConfiguration(
            certificateChainPath: certificate.chainPath, keyPath: certificate.keyPath)
        change(&configuration)
        return try await withServer(router, configuration: configuration) { port, server in
            try await body(port, server, certificate)
        }
    }

    private func curl(_ port: Int, _ path: String, _ certificate: Certificate, _ more: [String] = []) async throws
        -> Command.Result
    {
        try await Command.run(
            "curl",
            ["-sS", "-i", "--max-time", "90", "--cacert", certificate.chainPath] + more
                + ["https://localhost:\(port)\(path)"])
    }

    private func connect(_ port: Int, _ more: [String], input: String = "Q\n") async throws -> String {
        try await Command.run("openssl", ["s_client", "-connect", "127.0.0.1:\(port)"] + more, input: input).output
    }

    @Test func curlIsServedWithStrictTransportSecurity() async throws {
        try await withTLS { port, server, certificate in
            let result = try await curl(port, "/hello", certificate)
            #expect(result.status == 0)
            #expect(result.output.contains("HTTP/1.1 200 OK"))
            #expect(result.output.contains("\r\nStrict-Transport-Security: max-age=63072000\r\n"))
            #expect(result.output.hasSuffix("\r\n\r\nhello"))
            try await eventually { server.connections == 0 }
        }
    }

    @Test(arguments: [(-5, "it has expired"), (0, nil), (5, "it is not valid yet")])
    func aCertificateWithWrongDatesIsNoticed(days: Int, fault: String?) throws {
        let files = try Certificate()
        defer { files.remove() }
        let certificate = try HTTP.Certificate(
            name: "zoo", purpose: .authority, issuer: nil, days: 1, now: time(nil) + days * 86_400)
        try Data(certificate.pem).write(to: URL(filePath: files.chainPath))
        try Data(certificate.keyPEM).write(to: URL(filePath: files.keyPath))
        let configuration = TLSConfiguration(certificateChainPath: files.chainPath, keyPath: files.keyPath)
        #expect(try TLSCertificates(configuration).current.dateFault == fault)
    }

    @Test(arguments: [(6, 2), (8, 0)])
    func aCertificateThatExpiresSoonIsWarnedOf(days: Int, warnings: Int) async throws {
        let files = try Certificate()
        defer { files.remove() }
        let now = time(nil)
        let certificate = try HTTP.Certificate(name: "zoo", purpose: .authority, issuer: nil, days: days, now: now)
        try Data(certificate.pem).write(to: URL(filePath: files.chainPath))
        try Data(certificate.keyPEM).write(to: URL(filePath: files.keyPath))
        var configuration = ServerConfiguration.standard
        configuration.port = 0
        configuration.tls = TLSConfiguration(certificateChainPath: files.chainPath, keyPath: files.keyPath)
        let lines = Locked<[String]>([])
        let server = Server(
            configuration: configuration, router: .sample,
            logger: Logger(label: "test") { _ in LogLines { line in lines.withLock { $0.append(line) } } })
        _ = try server.start()
        server.checkCertificate()
        await server.shutdown()
        #expect(server.certificateExpiry == now + days * 86_400)
        #expect(lines.withLock { $0.count { $0.hasPrefix("The certificate expires soon") } } == warnings)
    }

    @Test func largeBodiesPassBothWays() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "menagerie-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let source = folder.appending(path: "source"), copy = folder.appending(path: "copy")
        try content.write(to: source)
        var router = Router.sample
        let bytes = [UInt8](content)
        router.get("/bytes", .inline { _ in .bytes(bytes, type: .octetStream) })
        router.get(
            "/file", .inline { _ in Response(body: .file(try FileRegion(path: source.path))) })
        router.post(
            "/large", .asynchronous { .bytes(try await $0.body.collect(upTo: 4 << 20), type: .octetStream) })
        try await withTLS(router) { port, _, certificate in
            for more in [["/bytes"], ["/file"], ["/large", "-H", "Expect:", "--data-binary", "@\(source.path)"]] {
                let arguments =
                    ["-sS", "--max-time", "90", "--cacert", certificate.chainPath, "-o", copy.path] + more.dropFirst()
                let result = try await Command.run("curl", arguments + ["https://localhost:\(port)\(more[0])"])
                #expect(result.status == 0, "\(result.output)")
                #expect(try Data(contentsOf: copy) == content)
            }
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func bothVersionsAreSpokenWithTheProtocolChosen(_ version: String) async throws {
        try await withTLS { port, _, _ in
            let output = try await connect(port, [version, "-alpn", "h2,http/1.1"])
            #expect(output.contains("ALPN protocol: http/1.1"))
            #expect(output.contains(version == "-tls1_2" ? "TLSv1.2" : "TLSv1.3"))
        }
    }

    @Test(arguments: [
        ["-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0"], ["-tls1_2", "-cipher", "AES128-SHA"],
        ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA"], ["-alpn", "h2"],
    ])
    func whatIsNotModernIsRefused(_ arguments: [String]) async throws {
        try await withTLS { port, server, _ in
            let output = try await connect(port, arguments)
            #expect(output.contains("alert"))
            #expect(output.contains("Cipher is (NONE)"))
            try await eventually { server.connections == 0 }
        }
    }

    @Test func theMinimumVersionCanBeRaised() async throws {
        try await withTLS(change: { $0.tls?.minimumVersion = .tls13 }) { port, _, _ in
            let old = try await connect(port, ["-tls1_2"])
            let new = try await connect(port, ["-tls1_3"])
            #expect(old.contains("Cipher is (NONE)"))
            #expect(new.contains("TLSv1.3"))
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func sessionsAreResumed(_ version: String) async throws {
        try await withTLS { port, _, certificate in
            let session = certificate.folder.appending(path: "session").path
            let request = "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let first = try await connect(port, [version, "-sess_out", session, "-ign_eof"], input: request)
            #expect(first.contains("New, "))
            #expect(first.contains("hello"))
            let second = try await connect(port, [version, "-sess_in", session, "-ign_eof"], input: request)
            #expect(second.contains("Reused, "))
            #expect(second.contains("hello"))
        }
    }

    @Test func certificatesThatCannotBeUsedAreNamed() async throws {
        let good = try await Certificate.make(), other = try await Certificate.make()
        defer {
            good.remove()
            other.remove()
        }
        func failure(_ chain: String, _ key: String) async -> String {
            var configuration = ServerConfiguration.standard
            configuration.tls = TLSConfiguration(certificateChainPath: chain, keyPath: key)
            do {
                try await withServer(.sample, configuration: configuration) { _, _ in }
                return "none"
            } catch { return "\(error)" }
        }
        #expect(await failure("/nowhere.pem", good.keyPath).contains("“/nowhere.pem”"))
        #expect(await failure(good.chainPath, "/nowhere.pem").contains("“/nowhere.pem”"))
        #expect(await failure(good.keyPath, good.keyPath).contains("certificate chain"))
        #expect(await failure(good.chainPath, other.keyPath).contains("private key"))
        let locked = good.folder.appending(path: "locked.pem").path
        let arguments = ["ec", "-in", good.keyPath, "-aes256", "-passout", "pass:secret", "-out", locked]
        #expect(try await Command.run("openssl", arguments).status == 0)
        #expect(await failure(good.chainPath, locked).contains("unencrypted"))
    }

    @Test func plainRequestsAreToldToUseHTTPS() async throws {
        try await withTLS { port, server, _ in
            let all = try await exchange(port, "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(all.map(\.status) == [400])
            #expect(all[0].text.contains("HTTPS"))
            #expect(all[0].headers["strict-transport-security"] == nil)
            try await eventually { server.connections == 0 }
        }
    }

    @Test func noiseEndsTheHandshake() async throws {
        try await withTLS { port, server, certificate in
            try await onThread {
                let noisy = try RawClient(port: port)
                try noisy.send([UInt8](repeating: 0xA5, count: 500))
                // At most an alert, and then the end.
                let alert = try noisy.receiveAll()
                #expect(alert.isEmpty || alert.first == 21)
            }
            try await eventually { server.connections == 0 }
            let result = try await curl(port, "/hello", certificate)
            #expect(result.output.hasSuffix("hello"))
        }
    }

    @Test func silenceAndDrippingEndTheHandshake() async throws {
        try await withTLS(change: { $0.tls?.handshakeTimeout = .milliseconds(200) }) { port, server, _ in
            try await onThread {
                let silent = try RawClient(port: port)
                #expect(throws: RawClient.Failure.self) { _ = try silent.receive() }
                // Sending a handshake slowly does not extend the time.
                let slow = try RawClient(port: port)
                for byte: UInt8 in [0x16, 0x03, 0x01, 0x02, 0x00] + [UInt8](repeating: 1, count: 40) {
                    do { try slow.send([byte]) } catch { break }
                    usleep(20_000)
                }
                let rest = try? slow.receive()
                #expect(rest == nil || rest == [])
            }
            try await eventually { server.connections == 0 }
        }
    }

    @Test func reloadingServesTheNewCertificateAndKeepsConnections() async throws {
        let released = Counter(), started = Counter()
        var router = Router.sample
        router.get(
            "/slow",
            .asynchronous { _ in
                started.add()
                try await eventually { released.value == 1 }
                return .bytes(Array("done".utf8), type: .text)
            })
        try await withTLS(router) { port, server, certificate in
            #expect(try await connect(port, []).contains("CN = first"))
            async let slow = curl(port, "/slow", certificate)
            try await eventually { started.value == 1 }
            try await certificate.write("second")
            try server.reloadCertificates()
            #expect(try await connect(port, []).contains("CN = second"))
            try "nonsense".write(toFile: certificate.chainPath, atomically: true, encoding: .utf8)
            #expect(throws: TLSError.self) { try server.reloadCertificates() }
            try FileManager.default.removeItem(atPath: certificate.chainPath)
            #expect(mkfifo(certificate.chainPath, 0o600) == 0)
            #expect(throws: TLSError.self) { try server.reloadCertificates() }
            #expect(try await connect(port, []).contains("CN = second"))
            released.add()
            #expect(try await slow.output.hasSuffix("done"))
        }
    }

    @Test func webSocketsAndStreamsRunUnderTLS() async throws {
        var router = Router.sample
        router.get(
            "/socket",
            .inline { request in
                try .webSocket(request) { socket in
                    for try await message in socket.messages { try await socket.send(message) }
                }
            })
        router.get(
            "/stream",
            .inline { _ in
                Response(
                    body: .stream(length: nil) { writer in
                        for number in 0..<100 { try await writer.write(Array("\(number);".utf8)) }
                    })
            })
        try await withTLS(router) { port, _, certificate in
            let stream = try await curl(port, "/stream", certificate)
            #expect(stream.output.hasSuffix((0..<100).map { "\($0);" }.joined()))
            let frames = LiveWebSocket.frame(.text, Array("echo".utf8)) + LiveWebSocket.frame(.close, [0x03, 0xE8])
            let file = certificate.folder.appending(path: "input").path
            try Data(Array(LiveWebSocket.handshake.utf8) + frames).write(to: URL(filePath: file))
            let result = try await Command.run(
                "openssl", ["s_client", "-quiet", "-connect", "127.0.0.1:\(port)", "-ign_eof"], inputFile: file)
            #expect(result.output.contains("101 Switching Protocols"))
            #expect(result.output.contains("echo"))
        }
    }
}
