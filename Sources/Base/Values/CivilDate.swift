/// A day of the Gregorian calendar.
///
/// Source: Howard Hinnant, "chrono-compatible low-level date algorithms". Eras have 400 years, which begin on 1 March,
/// so that the leap day is the last of its year.
package struct CivilDate: Hashable, Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    package let day: Int

    /// - Parameter days: counted from 1970-01-01.
    package init(days: Int) {
        let (era, dayOfEra) = (days + 719_468).flooringDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
    }

    /// The day; nil if the month does not have it.
    package init?(year: Int, month: Int, day: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        // A day that does not exist converts back to another one.
        guard (1...12).contains(month), CivilDate(days: days) == self else { return nil }
    }

    /// The days from 1970-01-01.
    package var days: Int {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooringDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// Reads the parts of a time from its bytes.
package struct TimeReader {
    private var rest: ArraySlice<UInt8>

    package init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads exactly `count` digits.
    package mutating func number(_ count: Int) -> Int? {
        guard rest.count >= count, rest.prefix(count).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }

    /// Skips one of the characters.
    package mutating func skip(anyOf characters: String) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    package mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Skips one of the names.
    /// - Returns: its index.
    package mutating func skip(oneOf names: [String]) -> Int? {
        names.firstIndex { skip($0) }
    }

    /// Reads the second of the day from `08:49:37`. Second 60 is a leap second, which counts as the next one.
    package mutating func secondOfDay() -> Int? {
        guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60, skip(":"),
            let second = number(2), second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}

extension Int {
    /// The quotient rounded towards negative infinity, and the remainder, 0 ≤ remainder < divisor.
    package func flooringDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The number with zeros before it, if it has fewer digits.
    package func padded(to digits: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}
