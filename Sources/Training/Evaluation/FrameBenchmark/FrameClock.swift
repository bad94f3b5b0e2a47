import Base

/// A simulated camera. A frame that comes while the previous one is in work is dropped.
///
/// The camera's time is computed, not waited for. Frame n comes at n / rate. The next frame is the first to come after
/// the work is done.
package struct FrameClock: Sendable {
    /// The number of frames a second.
    package let rate: Double
    package private(set) var next = 0

    /// - Parameter rate: above 0.
    package init(rate: Double) {
        precondition(rate > 0, "a camera gives more than no frames")
        self.rate = rate
    }

    /// Works on the next frame for the given time.
    ///
    /// - Returns: the number of frames dropped meanwhile.
    package mutating func work(seconds: Double) -> Int {
        // Work that ends when a frame comes is in time for it, apart from rounding.
        let dropped = max(0, Int(clamping: (seconds * rate - 1e-9).rounded(.up)) - 1)
        next += 1 + dropped
        return dropped
    }
}
