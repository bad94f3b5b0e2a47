/// A number in JSON's syntax (RFC 8259 §6).
struct JSONNumber {
    /// The nearest 64-bit floating-point number.
    let value: Double

    /// Reads a number; nil for a text that is not a JSON number, such as `01`, `+1`, `1.` and `NaN`.
    init?(_ text: Span<UInt8>) {
        let count = text.count
        var index = 0
        var mantissa: UInt64 = 0
        /// The number of significant digits in ``mantissa``.
        var digits = 0
        var scale = 0
        func take(_ byte: UInt8) {
            // 19 digits fit. A longer text is parsed another way.
            if digits < 19 { mantissa = mantissa &* 10 &+ UInt64(byte & 0x0F) }
            if digits > 0 || byte != 0x30 { digits += 1 }
        }
        let isNegative = count > 0 && text[0] == UInt8(ascii: "-")
        if isNegative { index = 1 }
        guard Self.isDigit(text, index) else { return nil }
        let startsWithZero = text[index] == 0x30
        let start = index
        while Self.isDigit(text, index) {
            take(text[index])
            index += 1
        }
        guard !startsWithZero || index == start + 1 else { return nil }
        if index < count, text[index] == UInt8(ascii: ".") {
            index += 1
            guard Self.isDigit(text, index) else { return nil }
            while Self.isDigit(text, index) {
                take(text[index])
                scale -= 1
                index += 1
            }
        }
        if index < count, text[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            let isBelowOne = index < count && text[index] == UInt8(ascii: "-")
            if isBelowOne || index < count && text[index] == UInt8(ascii: "+") { index += 1 }
            guard Self.isDigit(text, index) else { return nil }
            var exponent = 0
            while Self.isDigit(text, index) {
                // Beyond that exponent every number is 0 or infinite.
                exponent = min(exponent * 10 + Int(text[index] & 0x0F), 100_000)
                index += 1
            }
            scale += isBelowOne ? -exponent : exponent
        }
        guard index == count else { return nil }
        // Both are exact in 64 bits, so their quotient or product is rounded only once (Clinger 1990).
        if digits <= 19, mantissa <= 1 << 53, abs(scale) < Self.powers.count {
            let exact = Double(mantissa)
            let magnitude = scale < 0 ? exact / Self.powers[-scale] : exact * Self.powers[scale]
            value = isNegative ? -magnitude : magnitude
        } else {
            var characters: [UInt8] = []
            characters.reserveCapacity(count)
            for index in text.indices { characters.append(text[index]) }
            guard let slow = Double(String(decoding: characters, as: UTF8.self)) else { return nil }
            value = slow
        }
    }

    private static func isDigit(_ text: Span<UInt8>, _ index: Int) -> Bool {
        index < text.count && (0x30...0x39).contains(text[index])
    }

    /// The powers of ten that are exact in 64 bits.
    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
