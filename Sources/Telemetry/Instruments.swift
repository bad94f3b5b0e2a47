import Synchronization

/// What a ``MetricFamily`` holds for one combination of label values.
package protocol Instrument: AnyObject, Sendable {
    /// What the constructor needs beside the family's name: bucket bounds for a histogram, nothing otherwise.
    associatedtype Settings: Sendable

    /// The `# TYPE` of the exposition format: counter, gauge or histogram.
    static var kind: String { get }

    init(settings: Settings)

    /// Appends the sample lines of instruments that count the same thing, each for a thread of its own.
    static func write(_ parts: [Self], name: String, labels: [(name: String, value: String)], to text: inout String)
}

/// A value that only grows.
package final class Counter: Instrument {
    package static let kind = "counter"
    private let value = Atomic<UInt64>(0)

    package init(settings: Void) {}

    package func increment(by amount: Int = 1) {
        guard amount > 0 else { return }
        value.wrappingAdd(UInt64(amount), ordering: .relaxed)
    }

    /// The total since the process started.
    package var total: UInt64 { value.load(ordering: .relaxed) }

    package static func write(
        _ parts: [Counter], name: String, labels: [(name: String, value: String)], to text: inout String
    ) {
        text.appendSample(name, labels, String(parts.reduce(0) { $0 &+ $1.total }))
    }
}

/// A value that goes up and down, such as a queue's depth.
package final class Gauge: Instrument {
    package static let kind = "gauge"
    private let value = Atomic<Int>(0)

    package init(settings: Void) {}

    package func set(_ newValue: Int) { value.store(newValue, ordering: .relaxed) }

    package func add(_ amount: Int) { value.wrappingAdd(amount, ordering: .relaxed) }

    package var current: Int { value.load(ordering: .relaxed) }

    package static func write(
        _ parts: [Gauge], name: String, labels: [(name: String, value: String)], to text: inout String
    ) {
        text.appendSample(name, labels, String(parts.reduce(0) { $0 + $1.current }))
    }
}
