import Foundation

/// The time of day as text, `2026-03-01T12:00:00.000Z` (RFC 3339). Only the parts that have changed are written anew.
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
        if Int(time.tv_sec) != second { setSecond(time.tv_sec) }
        let milliseconds = Int(time.tv_nsec) / 1_000_000
        withUnsafeMutableBytes(of: &text) { Self.write(milliseconds, digits: 3, at: 20, into: $0) }
    }

    private mutating func setSecond(_ seconds: time_t) {
        second = Int(seconds)
        var (seconds, parts) = (seconds, tm())
        gmtime_r(&seconds, &parts)
        let numbers = [
            (Int(parts.tm_year) + 1900, 4, 0), (Int(parts.tm_mon) + 1, 2, 5), (Int(parts.tm_mday), 2, 8),
            (Int(parts.tm_hour), 2, 11), (Int(parts.tm_min), 2, 14), (Int(parts.tm_sec), 2, 17),
        ]
        withUnsafeMutableBytes(of: &text) { bytes in
            bytes.copyBytes(from: "0000-00-00T00:00:00.000Z".utf8)
            for (number, digits, position) in numbers { Self.write(number, digits: digits, at: position, into: bytes) }
        }
    }

    private static func write(_ number: Int, digits: Int, at position: Int, into bytes: UnsafeMutableRawBufferPointer) {
        var rest = number
        for place in stride(from: position + digits - 1, through: position, by: -1) {
            bytes[place] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
            rest /= 10
        }
    }
}
