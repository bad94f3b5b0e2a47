import Foundation
import HTTP
import Logging
import TestSupport
import Testing

@testable import Menagerie

@Suite struct ServerSettingsTests {
    /// A server with these settings. `/echo` reads a body, `/client` returns the client's address, `/large` sends 32
    /// MB, `/wait` answers when its client is gone, `/socket` echoes messages.
    private func withServer<Result>(
        _ flags: [String: String], _ body: (_ port: Int, _ server: Server) async throws -> Result
    ) async throws -> Result {
        var router = Router()
        router.get("/client", .inline { .bytes(Array($0.remoteAddress.utf8), type: .text) })
        router.post("/echo", .asynchronous { .bytes(try await $0.body.collect(upTo: 1 << 20), type: .octetStream) })
        let large = [UInt8](repeating: 1, count: 32 << 20)
        router.get("/large", .inline { _ in .bytes(large, type: .octetStream) })
        router.get(
            "/wait",
            .asynchronous { _ in
                try await Task.sleep(for: .seconds(600))
                return Response()
            })
        router.get(
            "/socket",
            .inline { request in
                try .webSocket(request) { socket in
                    for try await message in socket.messages { try await socket.send(message) }
                }
            })
        let flags = flags.merging(["http.port": "0", "http.loops": "1"]) { own, _ in own }
        let server = Server(
            configuration: try ServerConfiguration(Settings(flags: flags)), router: router,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let port = try server.start()[0].port
        do {
            let result = try await body(port, server)
            await server.shutdown(drainTimeout: .milliseconds(200))
            return result
        } catch {
            await server.shutdown(drainTimeout: .milliseconds(200))
            throw error
        }
    }

    @Test(.slow, .timeLimit(.minutes(2)), arguments: [1, 2])
    func theServiceStartsWithEveryNumberAtAnEndOfItsRange(end: Int) async throws {
        var numbers: [String: String] = [:]
        for setting in Settings.all where setting.name != "http.port" {
            guard let match = setting.expectation.firstMatch(of: #/number from (\S+) to (\S+)/#) else { continue }
            numbers[setting.name] = String(end == 1 ? match.1 : match.2)
        }
        #expect(numbers.count > 60 && numbers["video.max_bytes"] != nil)
        let service = try ServiceProcess(numbers)
        #expect(try await service.port() > 0)
        // With the largest numbers it would take ten minutes to stop.
        service.signal(SIGKILL)
    }

    private static let get = "GET /client HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let chunked = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: [
        ("http.max_target_bytes", "256", "GET /\(String(repeating: "x", count: 300)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        (
            "http.max_header_line_bytes", "64",
            "GET /client HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 70))\r\n\r\n", 431
        ),
        (
            "http.max_header_bytes", "1024",
            "GET /client HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: 0123456789\r\n", count: 90) + "\r\n", 431
        ),
        (
            "http.max_header_fields", "8",
            "GET /client HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 8) + "\r\n", 431
        ),
        ("http.max_body_bytes", "1024", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1025\r\n\r\n", 413),
        ("http.max_chunk_extension_bytes", "4", chunked + "1;a=bcdef\r\nx\r\n0\r\n\r\n", 400),
        ("http.max_trailer_bytes", "8", chunked + "1\r\nx\r\n0\r\nX: 0123456789\r\n\r\n", 431),
        ("http.max_empty_lines", "1", "\r\n\r\n" + get, 400),
    ])
    func whatIsTooLargeIsRefused(key: String, value: String, request: String, status: Int) async throws {
        let refused = try await withServer([key: value]) { port, _ in try await exchange(port, request) }
        #expect(refused.map(\.status) == [status])
        // Without the setting the server accepts the same request.
        let allowed = try await withServer([:]) { port, _ in try await exchange(port, request) }
        #expect(allowed.first.map(\.status) != status)
    }

    @Test(arguments: [("8", "No method is longer than 8 bytes"), ("9", "is not implemented here")])
    func methodsThatAreTooLongAreNotEvenRead(limit: String, detail: String) async throws {
        try await withServer(["http.max_method_bytes": limit]) { port, _ in
            let answers = try await exchange(port, "PROPPATCH /client HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(answers.map(\.status) == [501])
            #expect(answers[0].text.contains(detail), "\(answers[0].text)")
        }
    }

    @Test(arguments: [
        ("http.header_timeout_s", "GET /client HTTP/1.1\r\nHos", [408]),
        ("http.body_timeout_s", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab", [408]),
        ("http.idle_timeout_s", "", []),
    ])
    func whoeverTakesTooLongIsSentAway(key: String, request: String, statuses: [Int]) async throws {
        try await withServer([key: "0.1"]) { port, _ in
            let answers = try await onThread {
                let client = try RawClient(port: port)
                try client.send(request)
                return RawResponse.parse(try client.receiveAll())
            }
            #expect(answers.map(\.status) == statuses)
        }
    }

    @Test func whoeverTakesNoBytesIsDropped() async throws {
        try await withServer(["http.write_timeout_s": "0.1"]) { port, server in
            let client = try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
                // The answer has begun. The client reads no more of it.
                _ = try client.receive(1)
                return client
            }
            try await eventually { server.connections == 0 }
            client.close()
        }
    }

    @Test func aBodyHasToComeAtTheMinimumRate() async throws {
        let flags = ["http.body_timeout_s": "0.1", "http.minimum_rate_bytes_s": "1000000000"]
        try await withServer(flags) { port, _ in
            let answers = try await onThread {
                let client = try RawClient(port: port)
                try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
                // Each byte comes soon after the last, but together they are far too slow.
                try client.drip(0x61, milliseconds: 10)
                client.shutdownWriting()
                return RawResponse.parse(try client.receiveAll())
            }
            #expect(answers.map(\.status) == [408])
        }
    }

    @Test func aClientThatDoesNotCloseIsClosed() async throws {
        try await withServer(["http.linger_timeout_s": "0.05"]) { port, server in
            let client = try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET /client HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                _ = try client.receiveAll()
                return client
            }
            // The client's side stays open.
            try await eventually { server.connections == 0 }
            client.close()
        }
    }

    @Test func aConnectionClosesAfterItsLastRequest() async throws {
        try await withServer(["http.max_requests_per_connection": "2"]) { port, _ in
            let answers = try await exchange(port, String(repeating: Self.get, count: 4))
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers.last?.headers["connection"] == "close")
        }
    }

    @Test func pipelinesAreAnsweredInOrderHoweverShortATurnIs() async throws {
        try await withServer(["http.max_pipelined_per_turn": "1"]) { port, _ in
            let answers = try await exchange(port, String(repeating: Self.get, count: 20))
            #expect(answers.map(\.status) == [Int](repeating: 200, count: 20))
        }
    }

    @Test func connectionsBeyondTheLimitAreToldSo() async throws {
        try await withServer(["http.max_connections": "1"]) { port, _ in
            try await onThread {
                let first = try RawClient(port: port)
                try first.send(Self.get)
                #expect(try first.responses(1)[0].status == 200)
                let second = try RawClient(port: port)
                #expect(try second.responses(1)[0].status == 503)
            }
        }
    }

    @Test(arguments: [("0", false), ("1", true)])
    func aClientThatEndedItsSideIsAskedWhetherItIsThere(milliseconds: String, isAsked: Bool) async throws {
        try await withServer(["http.half_closed_probe_ms": milliseconds]) { port, server in
            let client = try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
                client.shutdownWriting()
                return client
            }
            if isAsked {
                let interim = try await onThread { String(decoding: try client.receive(), as: UTF8.self) }
                #expect(interim == "HTTP/1.1 102 Processing\r\n\r\n")
            } else {
                try await eventually { server.connections == 1 }
            }
            client.reset()
        }
    }

    @Test func aShutdownWaitsAsLongAsItIsTold() async throws {
        let configuration = try ServerConfiguration(Settings(flags: ["http.drain_timeout_s": "1.5"]))
        #expect(configuration.drainTimeout == .seconds(1.5))
    }

    // MARK: Proxies

    @Test(arguments: [
        ("", "127.0.0.1"), ("127.0.0.0/8", "192.0.2.7"), ("10.0.0.0/8, 127.0.0.1", "192.0.2.7"),
        ("10.0.0.0/8", "127.0.0.1"),
    ])
    func onlyTrustedProxiesAreBelieved(networks: String, client: String) async throws {
        try await withServer(["http.trusted_proxies": networks]) { port, _ in
            for field in ["X-Forwarded-For: 6.6.6.6, 192.0.2.7", "Forwarded: for=6.6.6.6, for=\"192.0.2.7:80\""] {
                let answers = try await exchange(port, "GET /client HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
                #expect(answers.map(\.text) == [client], "\(field)")
            }
        }
    }

    @Test func aProxyThatIsNoNetworkStopsTheStart() throws {
        let settings = try Settings(flags: ["http.trusted_proxies": "10.0.0.0/8, proxy"])
        let error = #expect(throws: SettingsError.self) { try ServerConfiguration(settings) }
        #expect(error?.description.contains("http.trusted_proxies") == true)
        #expect(error?.description.contains("proxy") == true)
    }

    @Test(arguments: ["zoo.example", "https://zoo.example/", "https://Zoo.example", "https://a.example,*"])
    func whatIsNoOriginStopsTheStart(list: String) throws {
        let settings = try Settings(flags: ["http.cors_origins": list])
        let error = #expect(throws: SettingsError.self) { try CORSMiddleware.Origins(settings) }
        #expect(error?.description.contains("http.cors_origins") == true)
    }

    @Test(arguments: ["", "*", "https://zoo.example:8443, http://[::1]:80", "capacitor://localhost"])
    func originsAreRead(list: String) throws {
        #expect(try (CORSMiddleware.Origins(Settings(flags: ["http.cors_origins": list])) == nil) == list.isEmpty)
    }

    // MARK: WebSocket

    private static let handshake =
        "GET /socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    /// The bytes after the head of the answer to a handshake and these frames, up to the end of the stream.
    private func frames(_ flags: [String: String], sent frames: [UInt8]) async throws -> [UInt8] {
        try await withServer(flags) { port, _ in
            try await onThread {
                let client = try RawClient(port: port)
                try client.send(Array(Self.handshake.utf8) + frames)
                var all: [UInt8] = []
                // The connections of dropped clients are reset.
                while let bytes = try? client.receive(), !bytes.isEmpty { all += bytes }
                let end = try #require(all.firstRange(of: Array("\r\n\r\n".utf8)))
                return Array(all[end.upperBound...])
            }
        }
    }

    @Test func aMessageThatIsTooLargeCloses() async throws {
        // A text of 126 bytes, masked with zeros. The expected code 1009 is 0x03F1.
        let message: [UInt8] = [0x81, 0xFE, 0, 126, 0, 0, 0, 0] + [UInt8](repeating: 0x61, count: 126)
        let answer = try await frames(["websocket.max_message_bytes": "125"], sent: message)
        #expect(answer.first == 0x88)
        #expect(answer.dropFirst(2).starts(with: [0x03, 0xF1]))
    }

    @Test func aSilentClientIsPingedAndThenDropped() async throws {
        let flags = ["websocket.ping_s": "0.05", "websocket.pong_timeout_s": "0.05"]
        #expect(try await frames(flags, sent: []).first == 0x89)
    }

    @Test func theRemainingSettingsOfWebSocketsAreRead() throws {
        let configuration = try ServerConfiguration(
            Settings(flags: [
                "websocket.ping_s": "0", "websocket.close_timeout_s": "7", "websocket.compression_bytes": "99",
            ]))
        #expect(configuration.webSocketTimeouts.heartbeat == nil)
        #expect(configuration.webSocketTimeouts.close == .seconds(7))
        #expect(configuration.webSocketLimits.compressionBytes == 99)
    }
}
