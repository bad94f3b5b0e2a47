import Base

/// Which pictures of a video are looked at, so many a second: of each interval the first one. A pure value.
///
/// Where pictures are further apart than that, all are taken; where their times vary, those that there are.
struct FrameSampler {
    /// Pictures a second; nil takes all.
    private let rate: Double?
    /// Number of the interval that is still without a picture.
    private var next: Int64 = 0

    init(rate: Double?) {
        self.rate = rate
    }

    /// - Parameter time: microseconds since the first picture; times before the last one are never taken.
    mutating func takes(_ time: Int64) -> Bool {
        guard let rate else { return true }
        // A picture a tenth of an interval early is that interval's: clocks of containers are coarse.
        let interval = Int64(clamping: (Double(max(0, time)) / 1_000_000 * rate + 0.1).rounded(.down))
        guard interval >= next else { return false }
        next = interval + 1
        return true
    }
}
