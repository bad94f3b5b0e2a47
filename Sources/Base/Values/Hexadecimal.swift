/// Digits of base 16 as ASCII.
package enum Hexadecimal {
    /// The value of a digit in either case; nil for any other byte.
    @inlinable package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit &- 0x30
        case 0x41...0x46: digit &- 0x37
        case 0x61...0x66: digit &- 0x57
        default: nil
        }
    }

    /// The bytes written as pairs of digits; nil for any other text.
    package static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map(value(of:))
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 != nil }) else { return nil }
        let values = digits.compactMap(\.self)
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// Two lower-case digits for each byte.
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }

    /// The lower-case digit of a value from 0 to 15.
    @inlinable package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 &+ value : 0x57 &+ value
    }
}
