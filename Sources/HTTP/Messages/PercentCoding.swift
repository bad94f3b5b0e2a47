/// Percent-encoding (RFC 3986 §2.1).
package enum PercentCoding {
    /// The decoded text, or nil when a "%" is not followed by two hexadecimal digits. Bytes that are not UTF-8 become
    /// U+FFFD.
    /// - Parameter plusIsSpace: whether "+" means a space, as in a query.
    package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index = text.index(after: index)
            switch byte {
            case UInt8(ascii: "%"):
                guard index < text.endIndex, let high = ByteClass.hexadecimal(text[index]) else { return nil }
                index = text.index(after: index)
                guard index < text.endIndex, let low = ByteClass.hexadecimal(text[index]) else { return nil }
                index = text.index(after: index)
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(0x20)
            default:
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
