/// Whether an event loop looks for events a little longer before it puts its thread to sleep.
///
/// A client that sends its next request as soon as it has the last answer is back within microseconds, and to put a thread
/// to sleep and wake it again takes longer than that. But where nothing comes, the time is lost to everything else on that
/// core. So a loop lingers only as long as most of its lingering finds something: each vain attempt makes the next
/// four times as rare, each good one twice as frequent.
struct Lingering {
    /// How long is looked for events, in nanoseconds: about twice what waking a thread takes.
    static let nanoseconds: UInt64 = 50_000
    private static let rarest = 4096

    /// Every how many waits one lingers.
    private var interval = 1
    private var remaining = 0

    mutating func begins() -> Bool {
        if remaining > 0 {
            remaining -= 1
            return false
        }
        return true
    }

    mutating func ended(found: Bool) {
        interval = found ? max(1, interval / 2) : min(Self.rarest, interval * 4)
        remaining = interval - 1
    }
}
