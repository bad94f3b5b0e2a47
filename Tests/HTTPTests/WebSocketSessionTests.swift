@testable import HTTP
import TestSupport
import Testing

@Suite("WebSocket session")
struct WebSocketSessionTests {
    typealias Event = WebSocketSession.Event

    /// The events for the pieces, and the output.
    static func run(
        _ pieces: [[UInt8]], limits: WebSocketLimits = WebSocketLimits()
    ) -> (events: [Event], output: [UInt8], isOver: Bool) {
        let session = WebSocketSession(limits: limits)
        let events = pieces.flatMap { session.receive($0) }
        return (events, session.takeOutput(), session.isOver)
    }

    static func splits(_ bytes: [UInt8]) -> [[[UInt8]]] { WebSocketFrameTests.splits(bytes) }

    static func close(_ code: UInt16, _ reason: String = "") -> [UInt8] {
        WebSocketFrameEncoder.closePayload(WebSocketCloseCode(rawValue: code), reason: reason)
    }

    @Test("puts fragments together, with control frames between them, at every split point")
    func fragments() {
        let bytes =
            WebSocketClient.frame(.text, "Käy", isFinal: false) + WebSocketClient.frame(.ping, "a")
            + WebSocketClient.frame(.continuation, "", isFinal: false) + WebSocketClient.frame(.pong, "b")
            + WebSocketClient.frame(.continuation, "ttö") + WebSocketClient.frame(.binary, [0, 0xFF])
            + WebSocketClient.frame(.text, "")
        for pieces in Self.splits(bytes) {
            let result = Self.run(pieces)
            #expect(
                result.events == [
                    .pong(Array("b".utf8)), .message(.text("Käyttö")), .message(.binary([0, 0xFF])),
                    .message(.text("")),
                ])
            #expect(result.output == WebSocketFrameEncoder.frame(.pong, Array("a".utf8)))
            #expect(!result.isOver)
        }
    }

    @Test("takes a character that is cut by a fragment")
    func cutCharacter() {
        let text = Array("ä€𝄞".utf8)
        for split in 0...text.count {
            let bytes =
                WebSocketClient.frame(.text, Array(text[..<split]), isFinal: false)
                + WebSocketClient.frame(.continuation, Array(text[split...]))
            #expect(Self.run([bytes]).events == [.message(.text("ä€𝄞"))])
        }
    }

    @Test("answers every ping with its payload")
    func pings() {
        let payload = [UInt8](repeating: 0xFE, count: 125)
        let result = Self.run([WebSocketClient.frame(.ping, payload) + WebSocketClient.frame(.ping)])
        #expect(result.events.isEmpty)
        #expect(result.output == WebSocketFrameEncoder.frame(.pong, payload) + WebSocketFrameEncoder.frame(.pong))
    }

    @Test(
        "fails with 1002 when frames do not follow each other",
        arguments: [
            WebSocketClient.frame(.continuation, "a"), WebSocketClient.frame(.continuation, "a", isFinal: false),
            WebSocketClient.frame(.text, "a", isFinal: false) + WebSocketClient.frame(.text, "b"),
            WebSocketClient.frame(.text, "a", isFinal: false) + WebSocketClient.frame(.binary, "b"),
            WebSocketClient.frame(.text, "a") + WebSocketClient.frame(.continuation, "b"),
            WebSocketClient.frame(.close, [3]), WebSocketClient.frame(.close, close(999)),
            WebSocketClient.frame(.close, close(1005)), WebSocketClient.frame(.close, close(1006)),
            WebSocketClient.frame(.close, close(2000)), WebSocketClient.frame(.close, close(5000)),
            WebSocketClient.frame(.text, "a", isFinal: true).map { $0 == 0x81 ? 0xC1 : $0 },
        ])
    func protocolErrors(bytes: [UInt8]) {
        for pieces in Self.splits(bytes) {
            let result = Self.run(pieces + [WebSocketClient.frame(.text, "ignored")])
            guard case .failed(let error)? = result.events.last else {
                Issue.record("not refused")
                return
            }
            #expect(error.code == .protocolError)
            #expect(result.output.starts(with: [0x88, UInt8(error.reason.utf8.count + 2), 0x03, 0xEA]))
            #expect(result.isOver)
        }
    }

    @Test("fails with 1007 at the first byte that is not UTF-8")
    func invalidText() {
        let bytes = WebSocketClient.frame(.text, [0x41, 0xED, 0xA0, 0x80, 0x42])
        for count in 0..<bytes.count {
            let events = Self.run([Array(bytes[..<count])]).events
            // Six bytes of header, "A", and ED. The next byte A0 makes it a surrogate.
            #expect(events == (count < 9 ? [] : [.failed(WebSocketError(.invalidPayload, "A text is not UTF-8."))]))
        }
    }

    @Test("fails with 1007 if the end of a text or a close reason is not UTF-8")
    func incompleteText() {
        let cut = WebSocketClient.frame(.text, [0xE2, 0x82], isFinal: false) + WebSocketClient.frame(.continuation)
        #expect(
            Self.run([cut]).events == [.failed(WebSocketError(.invalidPayload, "A text ends within a character."))])
        let reason = WebSocketClient.frame(.close, [0x03, 0xE8, 0xE2, 0x82])
        #expect(
            Self.run([reason]).events == [.failed(WebSocketError(.invalidPayload, "A close reason is not UTF-8."))])
        #expect(Self.run([WebSocketClient.frame(.binary, [0xE2, 0x82])]).events == [.message(.binary([0xE2, 0x82]))])
    }

    @Test("answers a close with its code, and ignores what follows")
    func closing() {
        let bytes = WebSocketClient.frame(.close, Self.close(3999, "hyvästi")) + WebSocketClient.frame(.ping, "x")
        for pieces in Self.splits(bytes) {
            let result = Self.run(pieces)
            #expect(result.events == [.closed(code: WebSocketCloseCode(rawValue: 3999), reason: "hyvästi")])
            #expect(result.output == [0x88, 0x02, 0x0F, 0x9F])
            #expect(result.isOver)
        }
        let empty = Self.run([WebSocketClient.frame(.close)])
        #expect(empty.events == [.closed(code: nil, reason: "")])
        #expect(empty.output == [0x88, 0x00])
    }

    @Test("sends the answer to a message before it refuses the next frame")
    func order() {
        let session = WebSocketSession()
        session.receive(WebSocketClient.frame(.text, "a") + [0x83]) { event in
            if case .message(let message) = event { session.send(message) }
        }
        #expect(session.takeOutput().starts(with: [0x81, 0x01, 0x61, 0x88]))
    }

    @Test("closes by itself: sends once, drops messages, waits for the answer")
    func ownClose() {
        let session = WebSocketSession()
        session.close(.goingAway, reason: "bye")
        session.close(.normal)
        #expect(session.takeOutput() == [0x88, 0x05, 0x03, 0xE9] + Array("bye".utf8))
        #expect(!session.send(.text("late")) && !session.isOpen && !session.isOver)
        session.ping()
        #expect(session.receive(WebSocketClient.frame(.text, "late") + WebSocketClient.frame(.ping)).isEmpty)
        #expect(
            session.receive(WebSocketClient.frame(.close, Self.close(1001))) == [.closed(code: .goingAway, reason: "")])
        #expect(session.takeOutput().isEmpty && session.isOver)
    }

    @Test("bounds messages by 1009 before their payload comes")
    func tooLarge() {
        let limits = WebSocketLimits(messageBytes: 200)
        let fits = WebSocketClient.frame(.binary, [UInt8](repeating: 1, count: 200))
        #expect(Self.run([fits], limits: limits).events.count == 1)
        let large = WebSocketClient.frame(.binary, [UInt8](repeating: 1, count: 201))
        let first = WebSocketClient.frame(.binary, [UInt8](repeating: 1, count: 150), isFinal: false)
        let second = WebSocketClient.frame(.continuation, [UInt8](repeating: 1, count: 51))
        for bytes in [Array(large.prefix(8)), first + second.prefix(6)] {
            guard case .failed(let error)? = Self.run([bytes], limits: limits).events.last else {
                Issue.record("not refused")
                return
            }
            #expect(error.code == .messageTooBig)
        }
    }

    @Test("sends messages and pings as single unmasked frames")
    func sending() {
        let session = WebSocketSession()
        #expect(session.send(.text("hei")) && session.send(.binary([1, 2])))
        session.ping([UInt8](repeating: 7, count: 200))
        #expect(
            session.takeOutput()
                == [0x81, 0x03, 0x68, 0x65, 0x69, 0x82, 0x02, 0x01, 0x02, 0x89, 0x7D]
                + [UInt8](repeating: 7, count: 125))
        #expect(session.takeOutput().isEmpty)
    }

    @Test("does not fall over any two bytes a client may begin with, nor over random ones")
    func robustness() {
        for first in UInt8.min ... .max {
            for second: UInt8 in [0x00, 0x05, 0x7E, 0x7F, 0x80, 0x85, 0xFD, 0xFE, 0xFF] {
                let bytes = [first, second] + [UInt8](repeating: 0x55, count: 40)
                let result = Self.run([bytes], limits: WebSocketLimits(messageBytes: 1000))
                #expect(second >= 0x80 || result.isOver, "an unmasked frame was taken: \(first) \(second)")
            }
        }
        var generator = SeededNumbers(seed: 1)
        for _ in 0..<2000 {
            let session = WebSocketSession(deflate: WebSocketDeflate(), limits: WebSocketLimits(messageBytes: 1000))
            let bytes = (0..<60).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let frame = WebSocketClient.frame(.text, bytes, isCompressed: true)
            _ = session.receive(Array(frame.prefix(30))) + session.receive(Array(frame.dropFirst(30)))
            if session.isOver { #expect(session.takeOutput().first == 0x88) }
        }
    }
}

extension WebSocketSession {
    /// All events of some bytes.
    func receive(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        receive(bytes) { events.append($0) }
        return events
    }

    /// Reads all of the bytes.
    func receive(_ bytes: [UInt8], _ handle: (Event) -> Void) {
        var input = bytes[...]
        receive(&input) { event in
            handle(event)
            return true
        }
    }
}
