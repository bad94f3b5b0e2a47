import Base

/// Selects the pictures to analyse at a given rate: the first picture of each interval. A pure value.
///
/// If pictures are rarer than the rate, all are taken, whatever their times.
struct FrameSampler {
    /// The number of pictures a second. Nil takes all.
    private let rate: Double?
    /// The number of the next interval without a picture.
    private var next: Int64 = 0

    init(rate: Double?) { self.rate = rate }

    /// - Parameter time: microseconds since the first picture. Times before the last one are never taken.
    mutating func takes(_ time: Int64) -> Bool {
        guard let rate else { return true }
        // A picture that is early by a tenth of an interval counts, because clocks of containers are coarse.
        let interval = Int64(clamping: (Double(max(0, time)) / 1_000_000 * rate + 0.1).rounded(.down))
        guard interval >= next else { return false }
        next = interval + 1
        return true
    }
}
