package import Foundation

/// All times are whole milliseconds. They are integers, because a fraction does not survive a round trip through
/// Foundation's formats.
extension Date {
    /// Milliseconds since 1970, rounded to the nearest.
    package var milliseconds: Int64 {
        Int64(clamping: (timeIntervalSince1970 * 1000).rounded(.toNearestOrAwayFromZero))
    }

    package init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// RFC 3339 in UTC with milliseconds: `2026-01-31T09:30:00.125Z`.
    package var rfc3339: String {
        let (days, millisecond) = milliseconds.flooringDivision(by: 86_400_000)
        let (year, month, day) = Self.civil(days: days)
        let second = millisecond / 1_000
        func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
            + "T\(digits(second / 3_600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
            + ".\(digits(millisecond % 1_000, 3))Z"
    }

    /// Reads RFC 3339 with any offset; nil for any other text. Fractions of a second are cut to milliseconds.
    package init?(rfc3339 text: String) {
        var reader = TimeReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("Tt "), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let days = Self.days(year, month, day)
        // A day that does not exist converts back to another. A leap second (RFC 3339 §5.7) counts as the next second.
        guard (1...12).contains(month), Self.civil(days: days) == (year, month, day), hour < 24, minute < 60,
            second < 61
        else { return nil }
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        self.init(milliseconds: seconds * 1_000 + fraction)
    }

    /// Days since 1970 of a date of the Gregorian calendar (Howard Hinnant, `days_from_civil`).
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // The year begins in March, so that the leap day is its last.
        let (era, yearOfEra) = (month > 2 ? year : year - 1).flooringDivision(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of `days` (`civil_from_days`).
    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooringDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int64 {
    /// The quotient rounded towards negative infinity, and the remainder, 0 ≤ remainder < divisor.
    fileprivate func flooringDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let quotient = self >= 0 ? self / divisor : (self - divisor + 1) / divisor
        return (quotient, self - quotient * divisor)
    }
}

/// Reads the parts of a time from its bytes.
private struct TimeReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads exactly `count` digits.
    mutating func number(_ count: Int) -> Int64? {
        var number: Int64 = 0
        for _ in 0..<count {
            guard let digit = nextDigit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// Skips one of the characters.
    mutating func skip(_ characters: StaticString) -> Bool {
        guard let first = rest.first,
            characters.withUTF8Buffer({ $0.contains(first) })
        else { return false }
        rest.removeFirst()
        return true
    }

    /// Reads the milliseconds of an optional fraction of one to nine digits.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        var milliseconds: Int64 = 0
        var count = 0
        while let digit = nextDigit() {
            count += 1
            if count <= 3 { milliseconds = milliseconds * 10 + digit }
        }
        guard (1...9).contains(count) else { return nil }
        return (count..<max(count, 3)).reduce(milliseconds) { value, _ in value * 10 }
    }

    /// Reads an offset in seconds east of UTC.
    mutating func offset() -> Int64? {
        if skip("Zz") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip("+-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else {
            return nil
        }
        return (hours * 60 + minutes) * (isWest ? -60 : 60)
    }

    private mutating func nextDigit() -> Int64? {
        guard let first = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        rest.removeFirst()
        return Int64(first - UInt8(ascii: "0"))
    }
}
