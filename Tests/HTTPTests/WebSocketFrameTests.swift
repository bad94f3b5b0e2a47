@testable import HTTP
import Testing

/// A client's side of a WebSocket, for tests.
enum WebSocketClient {
    static let key: UInt32 = 0x3D21_FA37  // RFC 6455 §5.7: 37 fa 21 3d

    static func frame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8] = [], isFinal: Bool = true, isCompressed: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        let header = WebSocketFrameHeader(
            isFinal: isFinal, isCompressed: isCompressed, opcode: opcode, length: payload.count, mask: key)
        WebSocketFrameEncoder.append(header, payload, to: &bytes)
        return bytes
    }

    static func frame(_ opcode: WebSocketOpcode, _ text: String, isFinal: Bool = true) -> [UInt8] {
        frame(opcode, Array(text.utf8), isFinal: isFinal)
    }
}

@Suite("WebSocket frames")
struct WebSocketFrameTests {
    /// Decodes pieces. The payload pieces of one frame are joined.
    static func decode(
        _ pieces: [[UInt8]], allowsCompression: Bool = false, maximumLength: Int = 1 << 20
    ) throws(WebSocketError) -> [WebSocketFrameDecoder.Event] {
        var decoder = WebSocketFrameDecoder(allowsCompression: allowsCompression, maximumLength: maximumLength)
        var events: [WebSocketFrameDecoder.Event] = []
        for piece in pieces {
            var input = piece[...]
            while let event = try decoder.next(&input) {
                if case .payload(let more) = event, case .payload(let before)? = events.last {
                    events[events.count - 1] = .payload(before + more)
                } else {
                    events.append(event)
                }
            }
            #expect(input.isEmpty)
        }
        return events
    }

    static func splits(_ bytes: [UInt8]) -> [[[UInt8]]] {
        (0...bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] } + [bytes.map { [$0] }]
    }

    @Test("reads the masked example of RFC 6455 §5.7 at every split point")
    func example() throws {
        let bytes: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(WebSocketClient.frame(.text, "Hello") == bytes)
        for pieces in Self.splits(bytes + bytes) {
            let one: [WebSocketFrameDecoder.Event] = [
                .header(WebSocketFrameHeader(opcode: .text, length: 5, mask: WebSocketClient.key)),
                .payload(Array("Hello".utf8)), .end,
            ]
            #expect(try Self.decode(pieces) == one + one)
        }
    }

    @Test("writes the unmasked examples of RFC 6455 §5.7")
    func encoding() {
        let hello = Array("Hello".utf8)
        #expect(WebSocketFrameEncoder.frame(.text, hello) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(WebSocketFrameEncoder.frame(.ping, hello) == [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        var fragment: [UInt8] = []
        let header = WebSocketFrameHeader(isFinal: false, opcode: .text, length: 3)
        WebSocketFrameEncoder.append(header, Array("Hel".utf8), to: &fragment)
        #expect(fragment == [0x01, 0x03, 0x48, 0x65, 0x6C])
        let medium = [UInt8](repeating: 1, count: 256)
        #expect(WebSocketFrameEncoder.frame(.binary, medium) == [0x82, 0x7E, 0x01, 0x00] + medium)
        let large = [UInt8](repeating: 1, count: 65536)
        #expect(WebSocketFrameEncoder.frame(.binary, large) == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + large)
    }

    @Test(
        "reads what it writes at every length around the limits",
        arguments: [0, 1, 7, 8, 9, 125, 126, 127, 65535, 65536, 70001])
    func lengths(length: Int) throws {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let bytes = WebSocketClient.frame(.binary, payload)
        let chunks = stride(from: 0, to: bytes.count, by: 1021).map { Array(bytes[$0..<min($0 + 1021, bytes.count)]) }
        for pieces in [[bytes], chunks, [Array(bytes[..<3]), Array(bytes[3...])]] {
            let header = WebSocketFrameHeader(opcode: .binary, length: length, mask: WebSocketClient.key)
            let expected: [WebSocketFrameDecoder.Event] =
                length == 0 ? [.header(header), .end] : [.header(header), .payload(payload), .end]
            #expect(try Self.decode(pieces) == expected)
        }
    }

    @Test("masks by words as byte by byte, at every offset and length")
    func masking() {
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        for offset in 0..<8 {
            for length in 0..<40 {
                var bytes = (0..<length).map { UInt8($0) }
                let expected = bytes.enumerated().map { $1 ^ key[($0 + offset) % 4] }
                bytes.withUnsafeMutableBytes { WebSocketMask.apply(WebSocketClient.key, to: $0, offset: offset) }
                #expect(bytes == expected)
            }
        }
    }

    @Test(
        "refuses frames against RFC 6455 §5.2 as soon as it can tell",
        arguments: [
            ([0xC1], "A reserved bit is set."), ([0xA1], "A reserved bit is set."), ([0x91], "A reserved bit is set."),
            ([0x83], "Opcode 3 is reserved."), ([0x87], "Opcode 7 is reserved."), ([0x8B], "Opcode 11 is reserved."),
            ([0x8F], "Opcode 15 is reserved."), ([0x09], "A control frame is fragmented."),
            ([0x08], "A control frame is fragmented."), ([0x81, 0x05], "A frame from a client must be masked."),
            ([0x89, 0xFE], "A control frame is longer than 125 bytes."),
            ([0x88, 0xFF], "A control frame is longer than 125 bytes."),
            ([0x82, 0xFE, 0x00, 0x7D, 0, 0, 0, 0], "A length is not written in its shortest form."),
            ([0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0], "A length is not written in its shortest form."),
            ([0x82, 0xFF, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], "A length is not written in its shortest form."),
        ] as [([UInt8], String)])
    func malformed(bytes: [UInt8], reason: String) {
        for pieces in [[bytes], bytes.map { [$0] }] {
            #expect(throws: WebSocketError(.protocolError, reason)) { try Self.decode(pieces) }
        }
    }

    @Test("takes RSV1 only where compression was agreed on, and there only on the first frame of a message")
    func compressionBit() throws {
        #expect(try Self.decode([[0xC1, 0x80, 0, 0, 0, 0]], allowsCompression: true).count == 2)
        for first: UInt8 in [0xC0, 0xC8, 0xC9, 0xCA, 0xE1, 0xD1] {
            #expect(throws: WebSocketError.self) { try Self.decode([[first]], allowsCompression: true) }
        }
    }

    @Test("bounds the length of a frame before any of its payload")
    func tooLarge() throws {
        let header: [UInt8] = [0x82, 0xFE, 0x01, 0x01, 0, 0, 0, 0]
        #expect(throws: WebSocketError(.messageTooBig, "A frame is larger than the 256 bytes allowed here.")) {
            try Self.decode([header], maximumLength: 256)
        }
        #expect(try Self.decode([header], maximumLength: 257).count == 1)
        #expect(throws: WebSocketError.self) {
            try Self.decode([[0x82, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7) + [0, 0, 0, 0]])
        }
    }

    @Test("knows which close codes may be sent")
    func closeCodes() {
        let good: [UInt16] = [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
        ]
        let bad: [UInt16] = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]
        #expect(good.allSatisfy { WebSocketCloseCode(rawValue: $0).isSendable })
        #expect(!bad.contains { WebSocketCloseCode(rawValue: $0).isSendable })
    }

    @Test("cuts a close reason at a character")
    func closeReason() {
        let payload = WebSocketFrameEncoder.closePayload(.normal, reason: String(repeating: "ä", count: 100))
        #expect(payload.count == 124)
        #expect(String(validating: payload[2...], as: UTF8.self) == String(repeating: "ä", count: 61))
    }
}
