import HTTP
import Testing

@Suite("WebSocket handshake")
struct WebSocketHandshakeTests {
    static let headers: HeaderFields = [
        "Host": "zoo.example", "Upgrade": "websocket", "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
    ]

    static func request(_ changes: [(String, String?)] = [], method: Method = .get) -> Request {
        var headers = headers
        for (name, value) in changes { headers[name] = value }
        return Request(method: method, target: "/live", headers: headers)
    }

    static func failure(_ changes: [(String, String?)]) -> WebSocketHandshake.Failure? {
        do throws(WebSocketHandshake.Failure) {
            _ = try WebSocketHandshake(request(changes))
            return nil
        } catch {
            return error
        }
    }

    @Test("answers the example of RFC 6455 §1.3")
    func example() throws {
        let response = try WebSocketHandshake(Self.request()).response
        #expect(response.status == .switchingProtocols)
        #expect(
            response.headers == [
                "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
            ])
    }

    @Test("reads lists and any case in Upgrade and Connection")
    func lists() {
        let request = Self.request([("Upgrade", "h2c, WebSocket"), ("Connection", "keep-alive, upgrade")])
        #expect(WebSocketHandshake.isUpgrade(request))
        #expect(throws: Never.self) { try WebSocketHandshake(request) }
        #expect(!WebSocketHandshake.isUpgrade(Self.request([("Connection", "keep-alive")])))
        #expect(!WebSocketHandshake.isUpgrade(Self.request([("Upgrade", "websockets")])))
    }

    @Test("refuses an invalid handshake")
    func refusals() {
        #expect(Self.failure([("Upgrade", nil)]) == .noUpgrade)
        #expect(Self.failure([("Connection", "close")]) == .noUpgrade)
        #expect(Self.failure([("Sec-WebSocket-Version", "8")]) == .version("8"))
        #expect(Self.failure([("Sec-WebSocket-Version", nil)]) == .version(nil))
        let keys = [
            nil, "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=a", "dGhlIHNhbXBsZSBub25jZSE=",
            "????????????????????==",
        ]
        for key in keys { #expect(Self.failure([("Sec-WebSocket-Key", key)]) == .key, "\(key ?? "none")") }
        #expect(throws: WebSocketHandshake.Failure.method) { try WebSocketHandshake(Self.request(method: .post)) }
        // HEAD without an upgrade is answered like GET.
        #expect(throws: WebSocketHandshake.Failure.noUpgrade) {
            try WebSocketHandshake(Request(method: .head, target: "/live"))
        }
    }

    @Test("reports its version to a client of another version")
    func version() {
        let problem = WebSocketHandshake.Failure.version("8").problem
        #expect(problem.status == .upgradeRequired)
        #expect(problem.headers["Sec-WebSocket-Version"] == "13")
        #expect(problem.headers["Upgrade"] == "websocket")
    }

    @Test("agrees on compression only where it is wanted")
    func compression() throws {
        let request = Self.request([("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")])
        #expect(try WebSocketHandshake(request).response.headers["Sec-WebSocket-Extensions"] == "permessage-deflate")
        let plain = try WebSocketHandshake(Self.request([]))
        #expect(!plain.response.headers.contains("Sec-WebSocket-Extensions"))
        let session = plain.makeSession()
        #expect(session.receive([0xC1]).count == 1 && session.isOver)
    }
}
