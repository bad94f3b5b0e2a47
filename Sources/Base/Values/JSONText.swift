/// Writes strings as JSON.
package enum JSONText {
    /// Appends a quoted string, with escapes for quotation mark, backslash and control characters (RFC 8259 §7).
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { append($0, to: &bytes) }
    }

    /// Appends a quoted string.
    ///
    /// - Parameter text: UTF-8.
    package static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if text.contains(where: mustBeEscaped) {
            for byte in text { appendEscaped(byte, to: &bytes) }
        } else {
            bytes.append(contentsOf: text)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0x0A: bytes += "\\n".utf8
        case 0x0D: bytes += "\\r".utf8
        case 0x09: bytes += "\\t".utf8
        case _ where mustBeEscaped(byte):
            bytes += "\\u00".utf8
            bytes += [Hexadecimal.digit(byte >> 4), Hexadecimal.digit(byte & 15)]
        default: bytes.append(byte)
        }
    }
}
