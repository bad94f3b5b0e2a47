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
        let (days, millisecond) = Int(milliseconds).flooringDivision(by: 86_400_000)
        let date = CivilDate(days: days)
        let second = millisecond / 1000
        return "\(date.year.padded(to: 4))-\(date.month.padded(to: 2))-\(date.day.padded(to: 2))"
            + "T\((second / 3600).padded(to: 2)):\((second / 60 % 60).padded(to: 2)):\((second % 60).padded(to: 2))"
            + ".\((millisecond % 1000).padded(to: 3))Z"
    }

    /// Reads RFC 3339 with any offset; nil for any other text. Fractions of a second are cut to milliseconds.
    package init?(rfc3339 text: String) {
        var reader = TimeReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip(anyOf: "Tt "), let second = reader.secondOfDay(),
            let millisecond = reader.fraction(), let offset = reader.offset(), reader.isAtEnd,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        self.init(milliseconds: Int64((date.days * 86_400 + second - offset) * 1000 + millisecond))
    }
}

extension TimeReader {
    /// Reads the milliseconds of an optional fraction of one to nine digits.
    fileprivate mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        var milliseconds = 0
        var count = 0
        while let digit = number(1) {
            count += 1
            if count <= 3 { milliseconds = milliseconds * 10 + digit }
        }
        guard (1...9).contains(count) else { return nil }
        return (count..<max(count, 3)).reduce(milliseconds) { value, _ in value * 10 }
    }

    /// Reads an offset in seconds east of UTC.
    fileprivate mutating func offset() -> Int? {
        if skip(anyOf: "Zz") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isWest ? -60 : 60)
    }
}
