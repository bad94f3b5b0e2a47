/// Writes frames (RFC 6455 §5.2).
package enum WebSocketFrameEncoder {
    /// Appends a frame. A server does not mask (§5.1); the key is for tests and clients.
    package static func append(
        _ header: WebSocketFrameHeader, _ payload: some Collection<UInt8>, to bytes: inout [UInt8]
    ) {
        bytes.reserveCapacity(bytes.count + payload.count + 14)
        bytes.append(header.opcode.rawValue | (header.isFinal ? 0x80 : 0) | (header.isCompressed ? 0x40 : 0))
        let maskBit: UInt8 = header.mask == nil ? 0 : 0x80
        switch payload.count {
        case ...125:
            bytes.append(maskBit | UInt8(payload.count))
        case ...0xFFFF:
            bytes.append(maskBit | 126)
            withUnsafeBytes(of: UInt16(payload.count).bigEndian) { bytes.append(contentsOf: $0) }
        default:
            bytes.append(maskBit | 127)
            withUnsafeBytes(of: UInt64(payload.count).bigEndian) { bytes.append(contentsOf: $0) }
        }
        guard let mask = header.mask else {
            bytes.append(contentsOf: payload)
            return
        }
        withUnsafeBytes(of: mask.littleEndian) { bytes.append(contentsOf: $0) }
        let start = bytes.count
        bytes.append(contentsOf: payload)
        bytes.withUnsafeMutableBytes {
            WebSocketMask.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]), offset: 0)
        }
    }

    /// The bytes of a single frame.
    package static func frame(
        _ opcode: WebSocketOpcode, _ payload: some Collection<UInt8> = [], isCompressed: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        append(
            WebSocketFrameHeader(isCompressed: isCompressed, opcode: opcode, length: payload.count), payload, to: &bytes
        )
        return bytes
    }

    /// The payload of a close frame (§5.5.1). The reason is cut between characters to fit 125 bytes.
    package static func closePayload(_ code: WebSocketCloseCode, reason: String = "") -> [UInt8] {
        var text = reason
        while text.utf8.count > 123 { text.unicodeScalars.removeLast() }
        return [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + text.utf8
    }
}
