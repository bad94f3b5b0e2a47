import Base
import Glibc

/// A time in whole seconds, in the formats of HTTP (RFC 9110 §5.6.7).
package struct HTTPDate: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
    package let secondsSinceEpoch: Int

    package static var now: HTTPDate { HTTPDate(secondsSinceEpoch: time(nil)) }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let secondsPerDay = 86_400
}

extension HTTPDate: CustomStringConvertible {
    /// IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var description: String {
        let (days, second) = secondsSinceEpoch.flooringDivision(by: Self.secondsPerDay)
        let date = CivilDate(days: days)
        let weekday = Self.weekdays[(days + 4).flooringDivision(by: 7).remainder]
        let day = date.day.padded(to: 2) + " " + Self.months[date.month - 1] + " " + date.year.padded(to: 4)
        let time = [second / 3600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }.joined(separator: ":")
        return weekday + ", " + day + " " + time + " GMT"
    }
}

extension HTTPDate {
    /// Reads the three forms that a recipient must accept (RFC 9110 §5.6.7): IMF-fixdate, RFC 850 and asctime.
    /// - Parameter now: decides the century of an RFC 850 date, which is at most 50 years in the future.
    package init?(_ text: String, now: HTTPDate = .now) {
        var reader = TimeReader(text)
        if reader.skip(oneOf: Self.longWeekdays) != nil {
            self.init(rfc850: &reader, now: now)
        } else if reader.skip(oneOf: Self.weekdays) == nil {
            return nil
        } else if reader.skip(", ") {
            self.init(fixdate: &reader)
        } else {
            self.init(asctime: &reader)
        }
        guard reader.isAtEnd else { return nil }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` after its comma.
    private init?(fixdate reader: inout TimeReader) {
        guard let day = reader.number(2), reader.skip(" "), let month = reader.skip(oneOf: Self.months),
            reader.skip(" "), let year = reader.number(4), reader.skip(" "), let second = reader.secondOfDay(),
            reader.skip(" GMT")
        else { return nil }
        self.init(year: year, month: month + 1, day: day, second: second)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT` after its weekday.
    private init?(rfc850 reader: inout TimeReader, now: HTTPDate) {
        guard reader.skip(", "), let day = reader.number(2), reader.skip("-"),
            let month = reader.skip(oneOf: Self.months), reader.skip("-"), let short = reader.number(2),
            reader.skip(" "), let second = reader.secondOfDay(), reader.skip(" GMT")
        else { return nil }
        let today = now.secondsSinceEpoch.flooringDivision(by: Self.secondsPerDay).quotient
        let latest = CivilDate(days: today).year + 50
        self.init(year: latest - (latest - short) % 100, month: month + 1, day: day, second: second)
    }

    /// `Sun Nov  6 08:49:37 1994` after its weekday.
    private init?(asctime reader: inout TimeReader) {
        guard reader.skip(" "), let month = reader.skip(oneOf: Self.months), reader.skip(" "),
            let day = reader.skip(" ") ? reader.number(1) : reader.number(2), reader.skip(" "),
            let second = reader.secondOfDay(), reader.skip(" "), let year = reader.number(4)
        else { return nil }
        self.init(year: year, month: month + 1, day: day, second: second)
    }

    private init?(year: Int, month: Int, day: Int, second: Int) {
        guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
        self.init(secondsSinceEpoch: date.days * Self.secondsPerDay + second)
    }
}
