import Base
package import Metrics

/// Every metric of the process, rendered in Prometheus' text exposition format 0.0.4.
///
/// A family states once the metric's name, meaning, labels and bounds. It hands out counters, meters or timers of
/// swift-metrics.
///
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
package final class MetricRegistry: Sendable {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Upper bounds for durations in seconds, from half a millisecond to ten seconds.
    package static let seconds: [Double] = [
        0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10,
    ]

    /// The families in the order in which they are written.
    let families = Locked<[any WritableFamily]>([])

    package init() {}

    /// A family of values that only grow.
    package func counters(_ name: String, help: String, labels: [String] = []) -> MetricFamily<Counter> {
        MetricFamily(register(CellFamily(name: name, help: help) { CounterCell() }), labels: labels) {
            Counter(label: $1, dimensions: $2, handler: $0, factory: NOOPMetricsHandler.instance)
        }
    }

    /// A value that only grows, without labels.
    package func counter(_ name: String, help: String) -> Counter { counters(name, help: help).with() }

    /// A family of values that go up and down.
    package func meters(_ name: String, help: String, labels: [String] = []) -> MetricFamily<Meter> {
        MetricFamily(register(CellFamily(name: name, help: help) { GaugeCell() }), labels: labels) {
            Meter(label: $1, dimensions: $2, handler: $0, factory: NOOPMetricsHandler.instance)
        }
    }

    /// A value that goes up and down, without labels.
    package func meter(_ name: String, help: String) -> Meter { meters(name, help: help).with() }

    /// A family of histograms of durations.
    ///
    /// - Parameter bounds: upper bounds of the buckets in seconds, ascending.
    package func timers(
        _ name: String, help: String, labels: [String] = [], bounds: [Double] = seconds
    ) -> MetricFamily<Timer> {
        MetricFamily(register(CellFamily(name: name, help: help) { HistogramCell(bounds: bounds) }), labels: labels) {
            Timer(label: $1, dimensions: $2, handler: $0, factory: NOOPMetricsHandler.instance)
        }
    }

    /// A histogram of durations, without labels.
    package func timer(_ name: String, help: String) -> Timer { timers(name, help: help).with() }

    /// Registers metrics whose samples are computed on demand.
    ///
    /// - Parameter samples: the values of the labels, in their order, and the number.
    package func computed(
        _ kind: ComputedKind, _ name: String, help: String, labels: [String] = [],
        _ samples: @escaping @Sendable () -> [(labels: [String], value: Double)]
    ) {
        register(ComputedFamily(kind: kind, name: name, help: help, labelNames: labels, samples: samples))
    }

    /// Registers Prometheus' usual process metrics: processor time, memory, descriptors, threads, start.
    package func addProcessMetrics() { register(ProcessMetrics()) }

    /// The text of all families, in the order of registration.
    package func render() -> String {
        var text = ""
        for family in families.withLock({ $0 }) { family.write(to: &text) }
        return text
    }

    @discardableResult
    private func register<Family: WritableFamily>(_ family: Family) -> Family {
        families.withLock { $0.append(family) }
        return family
    }
}

extension String {
    mutating func appendHeader(_ name: String, help: String, kind: String) {
        self += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    /// Appends `name{label="value"} number`. Backslash, quote and line feed are escaped as the format requires.
    mutating func appendSample(_ name: String, _ labels: [MetricLabel], _ value: String) {
        self += name
        if !labels.isEmpty {
            self += "{"
            for (index, label) in labels.enumerated() {
                if index > 0 { self += "," }
                self += label.name + "=\""
                for character in label.value {
                    switch character {
                    case "\\": self += "\\\\"
                    case "\"": self += "\\\""
                    case "\n": self += "\\n"
                    default: self.append(character)
                    }
                }
                self += "\""
            }
            self += "}"
        }
        self += " " + value + "\n"
    }
}
