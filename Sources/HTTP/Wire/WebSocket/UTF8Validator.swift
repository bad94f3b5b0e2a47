/// Checks UTF-8 (RFC 3629) piece by piece. It fails at the first byte that makes valid text impossible.
struct UTF8Validator {
    /// The number of continuation bytes that the current character still needs.
    private var needed = 0
    /// The range of the next continuation byte. It is narrower after E0, ED, F0 and F4, which excludes overlong forms,
    /// surrogates and values above U+10FFFF.
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF

    /// Whether the text may end here.
    var isAtBoundary: Bool { needed == 0 }

    /// - Returns: false for invalid text. The validator must not be used again then.
    mutating func check(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var index = 0
            while index < buffer.count {
                if needed == 0 {
                    // Eight ASCII bytes at a time.
                    while index &+ 8 <= buffer.count,
                        buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                    {
                        index &+= 8
                    }
                    if index == buffer.count { return true }
                }
                guard take(buffer[index]) else { return false }
                index &+= 1
            }
            return true
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        if needed > 0 {
            guard byte >= low, byte <= high else { return false }
            needed -= 1
            low = 0x80
            high = 0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: needed = 1
        case 0xE0...0xEF:
            needed = 2
            if byte == 0xE0 { low = 0xA0 }
            if byte == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            needed = 3
            if byte == 0xF0 { low = 0x90 }
            if byte == 0xF4 { high = 0x8F }
        default: return false
        }
        return true
    }
}
