import Base

/// Observations counted into cumulative buckets, with their sum.
package final class Histogram: Instrument {
    package static let kind = "histogram"

    /// Upper bounds for durations in seconds, from half a millisecond to ten seconds.
    package static let seconds: [Double] = [
        0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10,
    ]

    private struct State {
        /// Observations at or below each bound and above the one before; the last entry is beyond every bound.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Locked<State>

    /// - Parameter settings: upper bounds in ascending order; `+Inf` is implied.
    package init(settings: [Double]) {
        bounds = settings
        state = Locked(State(counts: Array(repeating: 0, count: settings.count + 1)))
    }

    package func observe(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock {
            $0.counts[bucket] += 1
            $0.sum += value
        }
    }

    /// How many observations there were, and what they add up to.
    package var summary: (count: UInt64, sum: Double) {
        state.withLock { ($0.counts.reduce(0, +), $0.sum) }
    }

    package static func write(
        _ parts: [Histogram], name: String, labels: [(name: String, value: String)], to text: inout String
    ) {
        guard let bounds = parts.first?.bounds else { return }
        var counts = [UInt64](repeating: 0, count: bounds.count + 1)
        var sum = 0.0
        for part in parts {
            let state = part.state.withLock { $0 }
            for (index, count) in state.counts.enumerated() { counts[index] += count }
            sum += state.sum
        }
        var cumulative: UInt64 = 0
        for (index, count) in counts.enumerated() {
            cumulative += count
            let bound = index < bounds.count ? "\(bounds[index])" : "+Inf"
            text.appendSample(name + "_bucket", labels + [("le", bound)], String(cumulative))
        }
        text.appendSample(name + "_sum", labels, "\(sum)")
        text.appendSample(name + "_count", labels, String(cumulative))
    }
}
