/// Decides whether an event loop looks for events a little longer before its thread sleeps.
///
/// A client that sends its next request right after an answer is back within microseconds, and a thread takes longer to
/// fall asleep and wake. But time spent waiting in vain is lost to everything else on that core. So a loop lingers only
/// while most of its attempts find something: each vain attempt makes the next four times as rare, each good one twice
/// as frequent.
struct Lingering {
    /// The length of one attempt, in nanoseconds: about twice what waking a thread takes.
    static let nanoseconds: UInt64 = 50_000
    private static let rarest = 4096

    /// The loop lingers before one wait out of this many.
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
