import Base
import Metrics

/// Counts durations in cumulative buckets, and adds them up.
final class HistogramCell: MetricCell, TimerHandler {
    static let kind = "histogram"

    private struct State {
        /// The durations at or below each bound and above the one before. The last entry is beyond every bound.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Locked<State>

    /// - Parameter bounds: upper bounds of the buckets in seconds, in ascending order. `+Inf` is implied.
    init(bounds: [Double]) {
        self.bounds = bounds
        state = Locked(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        let bucket = bounds.firstIndex { seconds <= $0 } ?? bounds.count
        state.withLock {
            $0.counts[bucket] += 1
            $0.sum += seconds
        }
    }

    static func write(_ cells: [HistogramCell], name: String, labels: [MetricLabel], to text: inout String) {
        guard let bounds = cells.first?.bounds else { return }
        var counts = [UInt64](repeating: 0, count: bounds.count + 1)
        var sum = 0.0
        for cell in cells {
            let state = cell.state.withLock { $0 }
            for (index, count) in state.counts.enumerated() { counts[index] += count }
            sum += state.sum
        }
        var cumulative: UInt64 = 0
        for (index, count) in counts.enumerated() {
            cumulative += count
            let bound = MetricLabel(name: "le", value: index < bounds.count ? "\(bounds[index])" : "+Inf")
            text.appendSample(name + "_bucket", labels + [bound], String(cumulative))
        }
        text.appendSample(name + "_sum", labels, "\(sum)")
        text.appendSample(name + "_count", labels, String(cumulative))
    }
}
