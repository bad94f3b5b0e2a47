/// Reads the frames of a client (RFC 6455 §5.2) in chunks of any size, without I/O. It checks single frames only;
/// ``WebSocketSession`` checks the rules between frames.
struct WebSocketFrameDecoder {
    enum Event: Hashable, Sendable {
        case header(WebSocketFrameHeader)
        /// Payload bytes, unmasked and never empty.
        case payload([UInt8])
        /// The frame's payload is complete.
        case end
    }

    /// Whether RSV1 may be set, because permessage-deflate was agreed on.
    let allowsCompression: Bool
    /// The largest payload of one frame, in bytes.
    let maximumLength: Int
    /// The bytes of a header that is not complete yet, at most 14.
    private var partial: [UInt8] = []
    private var current: WebSocketFrameHeader?
    /// The number of bytes of the current payload that have come.
    private var received = 0

    init(allowsCompression: Bool, maximumLength: Int) {
        self.allowsCompression = allowsCompression
        self.maximumLength = maximumLength
        partial.reserveCapacity(14)
    }

    /// The next event; nil when more input is needed. It removes the bytes of the event from the input. After an error
    /// the decoder must not be used again.
    mutating func next(_ input: inout ArraySlice<UInt8>) throws(WebSocketError) -> Event? {
        guard let header = current else { return try nextHeader(&input).map { .header($0) } }
        if received == header.length {
            current = nil
            return .end
        }
        guard !input.isEmpty else { return nil }
        var payload = Array(input.prefix(header.length - received))
        input = input.dropFirst(payload.count)
        if let mask = header.mask {
            payload.withUnsafeMutableBytes { WebSocketMask.apply(mask, to: $0, offset: received) }
        }
        received += payload.count
        return .payload(payload)
    }

    private mutating func nextHeader(_ input: inout ArraySlice<UInt8>) throws(WebSocketError) -> WebSocketFrameHeader? {
        while let byte = input.popFirst() {
            partial.append(byte)
            // Both bytes are checked as soon as they come, so that a wrong one is refused before the length arrives.
            if partial.count == 1 { try checkFirst(byte) }
            if partial.count == 2 { try checkSecond(byte) }
            guard partial.count >= 2, partial.count == headerLength else { continue }
            let header = try parse()
            partial.removeAll(keepingCapacity: true)
            current = header
            received = 0
            return header
        }
        return nil
    }

    /// The size of the header: two bytes, the extended length and the mask. It is known once two bytes are there.
    private var headerLength: Int {
        switch partial[1] & 0x7F {
        case 126: 8
        case 127: 14
        default: 6
        }
    }

    private func checkFirst(_ byte: UInt8) throws(WebSocketError) {
        guard byte & 0x30 == 0, allowsCompression || byte & 0x40 == 0 else {
            throw WebSocketError(.protocolError, "A reserved bit is set.")
        }
        guard let opcode = WebSocketOpcode(rawValue: byte & 0x0F) else {
            throw WebSocketError(.protocolError, "Opcode \(byte & 0x0F) is reserved.")
        }
        if opcode.isControl {
            guard byte & 0x80 != 0 else { throw WebSocketError(.protocolError, "A control frame is fragmented.") }
            guard byte & 0x40 == 0 else { throw WebSocketError(.protocolError, "A control frame is compressed.") }
        } else if opcode == .continuation, byte & 0x40 != 0 {
            throw WebSocketError(.protocolError, "RSV1 belongs on the first frame of a message.")
        }
    }

    private func checkSecond(_ byte: UInt8) throws(WebSocketError) {
        guard byte & 0x80 != 0 else { throw WebSocketError(.protocolError, "A frame from a client must be masked.") }
        guard partial[0] & 0x08 == 0 || byte & 0x7F <= 125 else {
            throw WebSocketError(.protocolError, "A control frame is longer than 125 bytes.")
        }
    }

    private func parse() throws(WebSocketError) -> WebSocketFrameHeader {
        let short = UInt64(partial[1] & 0x7F)
        var length = short
        if short >= 126 {
            length = partial[2..<(partial.count - 4)].reduce(0) { $0 << 8 | UInt64($1) }
            guard length > (short == 126 ? 125 : 0xFFFF), length >> 63 == 0 else {
                throw WebSocketError(.protocolError, "A length is not written in its shortest form.")
            }
        }
        guard length <= UInt64(maximumLength) else {
            throw WebSocketError(.messageTooBig, "A frame is larger than the \(maximumLength) bytes allowed here.")
        }
        let mask = partial.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard let opcode = WebSocketOpcode(rawValue: partial[0] & 0x0F) else {
            throw WebSocketError(.protocolError, "The opcode is reserved.")
        }
        return WebSocketFrameHeader(
            isFinal: partial[0] & 0x80 != 0, isCompressed: partial[0] & 0x40 != 0, opcode: opcode,
            length: Int(length), mask: mask)
    }
}

/// The masking of RFC 6455 §5.3, by machine words.
enum WebSocketMask {
    /// Masks or unmasks in place.
    /// - Parameters:
    ///   - key: the masking key, whose first byte is the lowest.
    ///   - offset: the index of the first byte within the payload.
    static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        let rotation = UInt32(offset & 3) * 8
        let turned = rotation == 0 ? key : key >> rotation | key << (32 - rotation)
        let word = UInt64(turned) | UInt64(turned) << 32
        let count = bytes.count
        var index = 0
        while index &+ 8 <= count {
            let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: value ^ word.littleEndian, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        var rest = word
        while index < count {
            bytes[index] ^= UInt8(truncatingIfNeeded: rest)
            rest >>= 8
            index &+= 1
        }
    }
}
