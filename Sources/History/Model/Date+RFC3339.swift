package import Foundation

extension Date {
    /// Milliseconds since 1970, rounded to the nearest.
    package var milliseconds: Int64 {
        Int64((timeIntervalSince1970 * 1000).rounded(.toNearestOrAwayFromZero))
    }

    package init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// RFC 3339 in UTC with milliseconds: `2026-01-31T09:30:00.125Z`.
    package var rfc3339: String {
        formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Reads RFC 3339 with or without fractions of a second and with any offset; nil for anything else.
    package init?(rfc3339 text: String) {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        guard let date = try? style.parse(text) else { return nil }
        self = Date(milliseconds: date.milliseconds)
    }
}
