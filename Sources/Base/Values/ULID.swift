package import Foundation

/// A universally unique, lexicographically sortable identifier: 48 bits of milliseconds since 1970, then 80 random
/// bits, written as 26 characters of Crockford's base 32 (https://github.com/ulid/spec).
///
/// Comparing two identifiers, or their text, compares the times at which they were made.
package struct ULID: Hashable, Comparable, Sendable {
    /// Milliseconds in the upper 48 bits, randomness in the lower 80.
    let bits: UInt128

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let latest = Locked<UInt128>(0)
    /// How far the clock may go back, in milliseconds, while identifiers still ascend. A clock that was wrong and is
    /// set right goes back further, and then identifiers have the right time.
    private static let slip: UInt128 = 1000

    init(bits: UInt128) {
        self.bits = bits
    }

    /// The next identifier of this process: greater than every earlier one, even within one millisecond, unless the
    /// clock was set back by more than a second.
    package static func next() -> ULID {
        latest.withLock { latest in
            latest = next(after: latest, at: Date())
            return ULID(bits: latest)
        }
    }

    static func next(after latest: UInt128, at date: Date) -> UInt128 {
        let candidate = ULID(date: date).bits
        let (now, before) = (candidate >> 80, latest >> 80)
        return now > before || now + slip < before ? candidate : latest + 1
    }

    /// An identifier of the given time with fresh randomness.
    package init(date: Date) {
        let random = UInt128(UInt64.random(in: .min ... .max)) << 16 | UInt128(UInt16.random(in: .min ... .max))
        self.init(lowestAt: date)
        self = ULID(bits: bits | random)
    }

    /// The smallest identifier of the given time: a bound for range queries.
    package init(lowestAt date: Date) {
        let milliseconds = UInt64(clamping: date.milliseconds) & 0xFFFF_FFFF_FFFF
        bits = UInt128(milliseconds) << 80
    }

    /// The time at which the identifier was made, in whole milliseconds.
    package var date: Date {
        Date(milliseconds: Int64(bits >> 80))
    }

    package static func < (left: ULID, right: ULID) -> Bool {
        left.bits < right.bits
    }
}

extension ULID: LosslessStringConvertible {
    /// Reads 26 characters of Crockford's base 32 in either case; nil for any other text.
    package init?(_ description: String) {
        let characters = Array(description.utf8)
        // 26 characters have 130 bits, so the first may use only three of its five.
        guard characters.count == 26, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(characters[0]) else {
            return nil
        }
        var bits: UInt128 = 0
        for character in characters {
            let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character) ? character - 32 : character
            guard let digit = Self.alphabet.firstIndex(of: upper) else { return nil }
            bits = bits << 5 | UInt128(digit)
        }
        self.init(bits: bits)
    }

    package var description: String {
        String(decoding: (0..<26).map { Self.alphabet[Int(bits >> (5 * (25 - $0)) & 31)] }, as: UTF8.self)
    }
}

extension ULID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = ULID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not a ULID: expected 26 characters of Crockford base 32")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
