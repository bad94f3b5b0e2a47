import Base
import Metrics
import Synchronization

/// The number of one combination of labels, as a counter, meter or timer of swift-metrics keeps it.
protocol MetricCell: AnyObject, Sendable {
    /// The `# TYPE` of the exposition format: counter, gauge or histogram.
    static var kind: String { get }

    /// Appends the sample lines of cells that count the same thing, each on its own thread.
    static func write(_ cells: [Self], name: String, labels: [MetricLabel], to text: inout String)
}

final class CounterCell: MetricCell, CounterHandler {
    static let kind = "counter"
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() { value.store(0, ordering: .relaxed) }

    static func write(_ cells: [CounterCell], name: String, labels: [MetricLabel], to text: inout String) {
        let total = cells.reduce(0) { $0 &+ $1.value.load(ordering: .relaxed) }
        text.appendSample(name, labels, String(total))
    }
}

/// A value that goes up and down, such as a queue's depth.
final class GaugeCell: MetricCell, MeterHandler {
    static let kind = "gauge"
    /// The bits of a `Double`, because there is no atomic addition for that type.
    private let bits = Atomic<UInt64>(0)

    private var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func set(_ value: Int64) { set(Double(value)) }

    func increment(by amount: Double) {
        var known = bits.load(ordering: .relaxed)
        while true {
            let sum = (Double(bitPattern: known) + amount).bitPattern
            let (exchanged, original) = bits.weakCompareExchange(expected: known, desired: sum, ordering: .relaxed)
            if exchanged { return }
            known = original
        }
    }

    func decrement(by amount: Double) { increment(by: -amount) }

    static func write(_ cells: [GaugeCell], name: String, labels: [MetricLabel], to text: inout String) {
        text.appendSample(name, labels, cells.reduce(0) { $0 + $1.value }.sampleText)
    }
}

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
