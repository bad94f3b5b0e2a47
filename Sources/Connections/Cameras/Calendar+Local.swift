import Base
import Foundation
import Glibc

extension Calendar {
    /// The calendar of the service's time zone at a time, by the C library, which knows every form of `TZ`.
    ///
    /// Foundation ignores all but the names of zones, and takes `UTC-3`, which is east of Greenwich, for the west.
    static func local(at date: Date) -> Calendar {
        var time = time_t(clamping: date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        tzset()
        localtime_r(&time, &parts)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: parts.tm_gmtoff) ?? .gmt
        return calendar
    }
}
