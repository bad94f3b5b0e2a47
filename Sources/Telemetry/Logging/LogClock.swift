import Base
import Foundation

/// The time of day as text, `2026-03-01T12:00:00.000Z` (RFC 3339). The seconds are written anew only when they have
/// changed.
struct LogClock {
    /// The 24 bytes of the text, as a tuple of numbers because that needs no allocation.
    private(set) var text: (UInt64, UInt64, UInt64) = (0, 0, 0)
    private var second = Int.min

    mutating func update() {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        update(to: time)
    }

    mutating func update(to time: timespec) {
        if time.tv_sec != second {
            second = time.tv_sec
            let rfc3339 = Date(milliseconds: Int64(second) * 1000).rfc3339
            withUnsafeMutableBytes(of: &text) { $0.copyBytes(from: rfc3339.utf8.prefix($0.count)) }
        }
        var rest = time.tv_nsec / 1_000_000
        withUnsafeMutableBytes(of: &text) { bytes in
            for place in [22, 21, 20] {
                bytes[place] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
                rest /= 10
            }
        }
    }
}
