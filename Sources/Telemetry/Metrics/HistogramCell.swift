import Base
import Metrics

/// Observations counted into cumulative buckets, with their sum.
final class HistogramCell: MetricCell, TimerHandler, RecorderHandler {
    static let kind = "histogram"

    private struct State {
        /// The observations at or below each bound and above the one before. The last entry is beyond every bound.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Locked<State>

    /// - Parameter bounds: upper bounds in ascending order, in seconds for a timer; `+Inf` is implied.
    init(bounds: [Double]) {
        self.bounds = bounds
        state = Locked(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock {
            $0.counts[bucket] += 1
            $0.sum += value
        }
    }

    func record(_ value: Int64) { record(Double(value)) }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

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
