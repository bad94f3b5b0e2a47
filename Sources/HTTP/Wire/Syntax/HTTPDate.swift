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

extension HTTPDate {
    /// Reads the three forms that a recipient must accept (RFC 9110 §5.6.7): IMF-fixdate, RFC 850 and asctime.
    /// - Parameter now: decides the century of an RFC 850 date, which is at most 50 years in the future.
    package init?(_ text: String, now: HTTPDate = .now) {
        let bytes = Array(text.utf8)
        guard let comma = bytes.firstIndex(of: UInt8(ascii: ",")) else {
            self.init(asctime: bytes)
            return
        }
        if comma == 3 {
            self.init(fixdate: bytes)
        } else {
            self.init(rfc850: bytes, comma: comma, now: now)
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private init?(fixdate bytes: [UInt8]) {
        guard bytes.count == 29, Self.index(of: bytes[0..<3], in: Self.weekdays) != nil,
            Self.has(", ", bytes, 3), let day = Self.number(bytes[5..<7]), bytes[7] == 0x20,
            let month = Self.index(of: bytes[8..<11], in: Self.months), bytes[11] == 0x20,
            let year = Self.number(bytes[12..<16]), bytes[16] == 0x20,
            let second = Self.secondOfDay(bytes[17..<25]), Self.has(" GMT", bytes, 25)
        else { return nil }
        self.init(year: year, month: month + 1, day: day, second: second)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private init?(rfc850 bytes: [UInt8], comma: Int, now: HTTPDate) {
        guard bytes.count == comma + 24, Self.index(of: bytes[0..<comma], in: Self.longWeekdays) != nil,
            bytes[comma + 1] == 0x20, let day = Self.number(bytes[(comma + 2)..<(comma + 4)]),
            bytes[comma + 4] == UInt8(ascii: "-"),
            let month = Self.index(of: bytes[(comma + 5)..<(comma + 8)], in: Self.months),
            bytes[comma + 8] == UInt8(ascii: "-"), let short = Self.number(bytes[(comma + 9)..<(comma + 11)]),
            bytes[comma + 11] == 0x20, let second = Self.secondOfDay(bytes[(comma + 12)..<(comma + 20)]),
            Self.has(" GMT", bytes, comma + 20)
        else { return nil }
        let thisYear = Self.civil(days: Self.floorDivide(now.secondsSinceEpoch, Self.secondsPerDay).quotient).year
        let latest = thisYear + 50
        self.init(year: latest - (latest - short) % 100, month: month + 1, day: day, second: second)
    }

    /// `Sun Nov  6 08:49:37 1994`
    private init?(asctime bytes: [UInt8]) {
        guard bytes.count == 24, Self.index(of: bytes[0..<3], in: Self.weekdays) != nil, bytes[3] == 0x20,
            let month = Self.index(of: bytes[4..<7], in: Self.months), bytes[7] == 0x20,
            let day = Self.number(bytes[8] == 0x20 ? bytes[9..<10] : bytes[8..<10]), bytes[10] == 0x20,
            let second = Self.secondOfDay(bytes[11..<19]), bytes[19] == 0x20,
            let year = Self.number(bytes[20..<24])
        else { return nil }
        self.init(year: year, month: month + 1, day: day, second: second)
    }

    private init?(year: Int, month: Int, day: Int, second: Int) {
        let days = Self.days(year: year, month: month, day: day)
        // A day that the month does not have converts back to another date.
        guard day >= 1, Self.civil(days: days) == (year, month, day) else { return nil }
        self.init(secondsSinceEpoch: days * Self.secondsPerDay + second)
    }

    /// `08:49:37`; second 60 is a leap second.
    private static func secondOfDay(_ bytes: ArraySlice<UInt8>) -> Int? {
        let start = bytes.startIndex
        guard bytes[start + 2] == UInt8(ascii: ":"), bytes[start + 5] == UInt8(ascii: ":"),
            let hour = number(bytes[start..<(start + 2)]), hour < 24,
            let minute = number(bytes[(start + 3)..<(start + 5)]), minute < 60,
            let second = number(bytes[(start + 6)..<(start + 8)]), second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.allSatisfy(ByteClass.isDigit) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func index(of bytes: ArraySlice<UInt8>, in names: [String]) -> Int? {
        names.firstIndex { $0.utf8.elementsEqual(bytes) }
    }

    private static func has(_ text: String, _ bytes: [UInt8], _ index: Int) -> Bool {
        bytes[index...].starts(with: text.utf8)
    }
}
