/// Percent-encoding (RFC 3986 §2.1).
package enum PercentCoding {
    /// The decoded text; nil if a "%" is not followed by two hexadecimal digits. Bytes that are not UTF-8 become
    /// U+FFFD.
    /// - Parameter plusIsSpace: whether "+" means a space, as in a query.
    package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        bytes(text, plusIsSpace: plusIsSpace).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The decoded bytes; nil if a "%" is not followed by two hexadecimal digits.
    /// - Parameter plusIsSpace: whether "+" means a space, as in a query.
    package static func bytes(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Hexadecimal.value(of:)),
                    let low = rest.popFirst().flatMap(Hexadecimal.value(of:))
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// The text as one segment of a path or one part of a query. Every character that is not unreserved is escaped (RFC
    /// 3986 §2.3).
    package static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
