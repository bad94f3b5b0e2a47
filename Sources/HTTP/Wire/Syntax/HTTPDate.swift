import Glibc

/// A time in whole seconds, in the formats of HTTP (RFC 9110 §5.6.7).
package struct HTTPDate: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
    package let secondsSinceEpoch: Int

    package static var now: HTTPDate { HTTPDate(secondsSinceEpoch: time(nil)) }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let secondsPerDay = 86_400
}

extension HTTPDate: CustomStringConvertible {
    /// IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var description: String {
        let (days, second) = Self.floorDivide(secondsSinceEpoch, Self.secondsPerDay)
        let (year, month, day) = Self.civil(days: days)
        let weekday = Self.floorDivide(days + 4, 7).remainder
        return Self.weekdays[weekday] + ", " + Self.padded(day, 2) + " " + Self.months[month - 1] + " "
            + Self.padded(year, 4) + " " + Self.padded(second / 3600, 2) + ":" + Self.padded(second / 60 % 60, 2) + ":"
            + Self.padded(second % 60, 2) + " GMT"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    static func floorDivide(_ number: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The Gregorian date of a day counted from 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date
    /// algorithms": eras of 400 years that begin on 1 March).
    static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// The inverse of ``civil(days:)``.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
