import Base
import Testing
@testable import HTTP

@Suite("WebSocket compression")
struct WebSocketDeflateTests {
    static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    static func frame(_ payload: [UInt8], _ opcode: WebSocketOpcode = .text, isFinal: Bool = true) -> [UInt8] {
        WebSocketClient.frame(opcode, payload, isFinal: isFinal, isCompressed: opcode != .continuation)
    }

    static func run(_ bytes: [UInt8], _ agreed: WebSocketDeflate = WebSocketDeflate()) -> [WebSocketSession.Event] {
        let session = WebSocketSession(deflate: agreed, limits: WebSocketLimits(messageBytes: 100_000))
        return session.receive(bytes)
    }

    @Test(
        "unpacks the examples of RFC 7692 §7.2.3",
        arguments: [
            frame(hello), frame([0xF2, 0x48, 0xCD], isFinal: false) + frame([0xC9, 0xC9, 0x07, 0x00], .continuation),
            frame([0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]),
            frame([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]),
            frame([0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]),
        ])
    func examples(bytes: [UInt8]) {
        for pieces in WebSocketFrameTests.splits(bytes) {
            let session = WebSocketSession(deflate: WebSocketDeflate())
            #expect(pieces.flatMap { session.receive($0) } == [.message(.text("Hello"))])
        }
    }

    @Test("keeps the window from message to message unless agreed otherwise")
    func contextTakeover() {
        // RFC 7692 §7.2.3.2: the second message refers to the first.
        let second: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
        let both: [WebSocketSession.Event] = [.message(.text("Hello")), .message(.text("Hello"))]
        #expect(Self.run(Self.frame(Self.hello) + Self.frame(second)) == both)
        // The same after a final block.
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        #expect(Self.run(Self.frame(final) + Self.frame(second)) == both)
        let without = WebSocketDeflate(clientNoContextTakeover: true)
        #expect(Self.run(Self.frame(Self.hello) + Self.frame(Self.hello), without) == both)
        let events = Self.run(Self.frame(Self.hello) + Self.frame(second), without)
        #expect(events.count == 2 && events[0] == both[0])
        #expect(events.last == .failed(WebSocketError(.invalidPayload, "A compressed message is not deflate data.")))
    }

    @Test("takes plain messages and empty ones between packed ones")
    func mixed() {
        let bytes =
            WebSocketClient.frame(.text, "plain") + Self.frame([0x00]) + Self.frame([]) + Self.frame(Self.hello)
        #expect(
            Self.run(bytes) == [
                .message(.text("plain")), .message(.text("")), .message(.text("")), .message(.text("Hello")),
            ])
    }

    @Test("a client can decompress its output, for every agreement and many messages")
    func roundTrip() throws {
        let texts = (0..<50).map { String(repeating: "{\"breed\":\"siamese\",\"n\":\($0)}", count: $0 * $0 + 1) } + [""]
        let agreements = [
            WebSocketDeflate(), WebSocketDeflate(serverNoContextTakeover: true),
            WebSocketDeflate(serverMaxWindowBits: 9),
            WebSocketDeflate(serverNoContextTakeover: true, serverMaxWindowBits: 15),
        ]
        for agreed in agreements {
            let session = WebSocketSession(deflate: agreed, limits: WebSocketLimits(compressionBytes: 0))
            let inflater = try Inflater(windowBits: agreed.serverMaxWindowBits ?? 15)
            for text in texts {
                session.send(.text(text))
                let bytes = session.takeOutput()
                #expect(bytes[0] == 0xC1)
                let start = bytes[1] < 126 ? 2 : bytes[1] == 126 ? 4 : 10
                var unpacked: [UInt8] = []
                try inflater.inflate(bytes[start...] + [0, 0, 0xFF, 0xFF], into: &unpacked, limit: 1 << 20)
                #expect(String(decoding: unpacked, as: UTF8.self) == text)
                if agreed.serverNoContextTakeover { inflater.reset() }
            }
        }
    }

    @Test("leaves small messages plain")
    func small() {
        let session = WebSocketSession(deflate: WebSocketDeflate(), limits: WebSocketLimits(compressionBytes: 5))
        session.send(.text("1234"))
        #expect(session.takeOutput()[0] == 0x81)
        session.send(.text("12345"))
        #expect(session.takeOutput()[0] == 0xC1)
    }

    @Test("bounds what a bomb unpacks to")
    func bomb() throws {
        let deflater = try Deflater(format: .raw)
        var packed: [UInt8] = []
        try deflater.deflate([UInt8](repeating: 0, count: 50_000_000), flush: .sync, into: &packed)
        #expect(packed.count < 90_000)
        let events = Self.run(Self.frame(packed, .binary))
        #expect(
            events == [
                .failed(WebSocketError(.messageTooBig, "A message is larger than the 100000 bytes allowed here."))
            ])
        var exact: [UInt8] = []
        let other = try Deflater(format: .raw)
        try other.deflate([UInt8](repeating: 0, count: 100_000), flush: .sync, into: &exact)
        #expect(Self.run(Self.frame(exact, .binary)) == [.message(.binary([UInt8](repeating: 0, count: 100_000)))])
    }

    @Test("refuses a compressed text that is not UTF-8, and garbage")
    func rubbish() {
        #expect(
            Self.run(Self.frame([0x00, 0x01, 0x00, 0xFE, 0xFF, 0xFF, 0x00]))
                == [.failed(WebSocketError(.invalidPayload, "A text is not UTF-8."))])
        #expect(
            Self.run(Self.frame([0xFF, 0xFF, 0xFF, 0xFF]))
                == [.failed(WebSocketError(.invalidPayload, "A compressed message is not deflate data."))])
    }

    @Test(
        "accepts the first offer it can keep (RFC 7692 §7.1)",
        arguments: [
            ("permessage-deflate", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits", "permessage-deflate"),
            (
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
            ),
            (
                "permessage-deflate; server_max_window_bits=10; client_max_window_bits=9",
                "permessage-deflate; server_max_window_bits=10; client_max_window_bits=9"
            ),
            ("permessage-deflate; server_max_window_bits=\"10\"", "permessage-deflate; server_max_window_bits=10"),
            ("permessage-deflate; server_max_window_bits=8, permessage-deflate", "permessage-deflate"),
            (
                "permessage-deflate; unknown, x-other, permessage-deflate; server_no_context_takeover",
                "permessage-deflate; server_no_context_takeover"
            ),
        ])
    func negotiation(offer: String, answer: String) {
        #expect(WebSocketDeflate.negotiate(["Sec-WebSocket-Extensions": offer])?.description == answer)
    }

    @Test(
        "declines offers that are malformed",
        arguments: [
            "", "deflate", "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=7",
            "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=010",
            "permessage-deflate; client_max_window_bits=", "permessage-deflate; client_max_window_bits=+9",
            "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; ",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        ])
    func declined(offer: String) {
        #expect(WebSocketDeflate.negotiate(["Sec-WebSocket-Extensions": offer]) == nil)
    }
}
