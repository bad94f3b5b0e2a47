import Foundation
import HTTP
import TestSupport
import Testing

/// Connections that a WebSocket route has taken over.
@Suite struct WebSocketTests {
    private struct HandlerFailure: Error {}

    private func router(_ serve: @escaping @Sendable (WebSocket) async throws -> Void) -> Router {
        var router = Router.sample
        router.get("/socket", .inline { try .webSocket($0, serve) })
        return router
    }

    private func configuration(_ timeouts: WebSocketTimeouts) -> ServerConfiguration {
        var configuration = ServerConfiguration.standard
        configuration.webSocketTimeouts = timeouts
        return configuration
    }

    private var echo: Router {
        router { socket in for try await message in socket.messages { try await socket.send(message) } }
    }

    @Test func messagesAreEchoedInOrder() async throws {
        try await withServer(echo) { port, server in
            try await onThread {
                // The first frame is in the same segment as the handshake.
                let client = try LiveWebSocket(port: port, first: LiveWebSocket.frame(.text, Array("0".utf8)))
                #expect(client.head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
                #expect(client.head.contains("\r\nConnection: Upgrade"))
                #expect(client.head.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
                for number in 1..<100 { try client.send("\(number)") }
                for number in 0..<100 { #expect(try client.receive()?.text == "\(number)") }
                try client.send(.ping, [1, 2, 3])
                #expect(try client.receive() == .init(opcode: .pong, payload: [1, 2, 3]))
                // Messages before the close are answered first.
                try client.client.send(LiveWebSocket.frame(.text, [0x61]) + LiveWebSocket.frame(.close, [0x03, 0xE8]))
                #expect(try client.receive()?.text == "a")
                #expect(try client.receive()?.closeCode == 1000)
                #expect(try client.receive() == nil)
                client.client.close()
            }
            try await eventually { server.connections == 0 }
        }
    }

    @Test func whatIsNoHandshakeIsRefused() async throws {
        let protection = SiteProtection(
            hosts: try AllowedHosts(["a"]), hostsSetting: "the.hosts", originsSetting: "the.origins")
        try await withServer(echo, middleware: [protection]) { port, _ in
            let version10 = LiveWebSocket.handshake.replacing("HTTP/1.1", with: "HTTP/1.0")
            #expect(try await exchange(port, version10).map(\.status) == [400])
            let plain = try await exchange(port, "GET /socket HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(plain.map(\.status) == [426])
            #expect(plain[0].headers["upgrade"] == "websocket")
            #expect(plain[0].headers["connection"] == "Upgrade")
            let foreign = LiveWebSocket.handshake.replacing("Host: a", with: "Host: a\r\nOrigin: https://evil.example")
            #expect(try await exchange(port, foreign).map(\.status) == [403])
        }
    }

    @Test(arguments: [false, true])
    func theEndOfTheHandlerClosesTheWebSocket(_ fails: Bool) async throws {
        let router = router { socket in
            try await socket.send("bye")
            if fails { throw HandlerFailure() }
        }
        try await withServer(router) { port, server in
            try await onThread {
                let client = try LiveWebSocket(port: port)
                #expect(try client.receive()?.text == "bye")
                let close = try client.receive()
                #expect(close?.closeCode == (fails ? 1011 : 1000))
                try client.send(.close, close?.payload ?? [])
                #expect(try client.receive() == nil)
                client.client.close()
            }
            try await eventually { server.connections == 0 }
        }
    }

    @Test func aClientThatDoesNotAnswerTheCloseIsClosed() async throws {
        let router = router { $0.close(.policyViolation, reason: "no") }
        let timeouts = WebSocketTimeouts(close: .milliseconds(50))
        try await withServer(router, configuration: configuration(timeouts)) { port, _ in
            try await onThread {
                let client = try LiveWebSocket(port: port)
                #expect(try client.receive()?.closeCode == 1008)
                #expect(try client.receive() == nil)
            }
        }
    }

    @Test func brokenFramesEndTheSequenceWithTheirError() async throws {
        let errors = Counter()
        let router = router { socket in
            do { for try await _ in socket.messages {} } catch let error as WebSocketError {
                errors.add(Int(error.code.rawValue))
            }
        }
        try await withServer(router) { port, _ in
            try await onThread {
                let client = try LiveWebSocket(port: port)
                // The frame is not masked.
                try client.client.send([0x81, 0x01, 0x61])
                #expect(try client.receive()?.closeCode == 1002)
                #expect(try client.receive() == nil)
            }
            try await eventually { errors.value == 1002 }
        }
    }

    @Test func anIdleClientIsPingedForAsLongAsItAnswers() async throws {
        let router = router { socket in for try await _ in socket.messages {} }
        let timeouts = WebSocketTimeouts(heartbeat: .milliseconds(50), pong: .seconds(600))
        try await withServer(router, configuration: configuration(timeouts)) { port, _ in
            try await onThread {
                let client = try LiveWebSocket(port: port)
                for _ in 0..<3 {
                    #expect(try client.receive()?.opcode == .ping)
                    try client.send(.pong)
                }
            }
        }
    }

    @Test func aSilentClientIsDropped() async throws {
        let lost = Counter()
        let timeouts = WebSocketTimeouts(heartbeat: .milliseconds(50), pong: .milliseconds(50))
        let router = router { socket in
            do { for try await _ in socket.messages {} } catch is ConnectionLost { lost.add() }
        }
        try await withServer(router, configuration: configuration(timeouts)) { port, server in
            // The client sends nothing after the handshake, not even a pong.
            let client = try await onThread { try LiveWebSocket(port: port) }
            try await eventually { lost.value == 1 && server.connections == 0 }
            client.client.close()
        }
    }

    @Test func aResetCancelsTheHandler() async throws {
        let started = Counter(), cancelled = Counter()
        let router = router { _ in
            started.add()
            do { try await Task.sleep(for: .seconds(600)) } catch { cancelled.add() }
        }
        try await withServer(router) { port, server in
            let client = try await onThread { try LiveWebSocket(port: port) }
            try await eventually { started.value == 1 }
            client.client.reset()
            try await eventually { cancelled.value == 1 && server.connections == 0 }
        }
    }

    @Test func aHandlerThatLagsStopsTheReading() async throws {
        let released = Counter(), count = Counter()
        let router = router { socket in
            try await eventually { released.value == 1 }
            var expected: UInt8 = 0
            for try await case .binary(let bytes) in socket.messages {
                guard bytes.first == expected else { throw HandlerFailure() }
                expected &+= 1
                count.add()
            }
        }
        try await withServer(router) { port, _ in
            let payload = [UInt8](repeating: 7, count: 64 * 1024)
            let sent = Counter()
            async let sending: Void = onThread {
                let client = try LiveWebSocket(port: port)
                for number in 0..<512 {
                    try client.send(.binary, [UInt8(truncatingIfNeeded: number)] + payload)
                    sent.add()
                }
                try client.send(.close)
                #expect(try client.receive()?.opcode == .close)
            }
            try await eventually {
                let before = sent.value
                try await Task.sleep(for: .milliseconds(100))
                return before > 0 && sent.value == before
            }
            #expect(sent.value < 512)
            released.add()
            try await sending
            try await eventually { count.value == 512 }
        }
    }

    @Test func aServerThatStopsClosesWith1001() async throws {
        try await withServer(echo) { port, server in
            let client = try await onThread {
                let client = try LiveWebSocket(port: port)
                try client.send("a")
                #expect(try client.receive()?.text == "a")
                return client
            }
            async let stopped: Void = server.shutdown(drainTimeout: .seconds(10))
            try await onThread {
                let close = try client.receive()
                #expect(close?.closeCode == 1001)
                try client.send(.close, close?.payload ?? [])
                #expect(try client.receive() == nil)
                client.client.close()
            }
            await stopped
            #expect(server.connections == 0)
        }
    }
}
