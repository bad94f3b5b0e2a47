import Base

/// A camera whose frames nobody waits for: a frame that comes while the one before is still being worked on is dropped.
///
/// The camera's time is reckoned, not waited for: frame n comes at n / rate, the next one taken is the first that comes
/// when the work is done.
package struct FrameClock: Sendable {
    /// Frames a second.
    package let rate: Double
    /// Number of the frame that is taken next.
    package private(set) var next = 0

    /// - Parameter rate: above 0.
    package init(rate: Double) {
        precondition(rate > 0, "a camera gives more than no frames")
        self.rate = rate
    }

    /// Works on the next frame for so many seconds.
    ///
    /// - Returns: the frames that came meanwhile and are lost.
    package mutating func work(seconds: Double) -> Int {
        // Work that ends with a frame's coming, but for rounding, is in time for it.
        let dropped = max(0, Int(clamping: (seconds * rate - 1e-9).rounded(.up)) - 1)
        next += 1 + dropped
        return dropped
    }
}
