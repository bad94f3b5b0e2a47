import Base

/// Every metric of the process, rendered in Prometheus' text exposition format 0.0.4.
///
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
package final class MetricRegistry: Sendable {
    /// The `Content-Type` of ``render()``.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let families = Locked<[any WritableFamily]>([])

    package init() {}

    package func counters(_ name: String, help: String, labels: [String] = []) -> MetricFamily<Counter> {
        register(MetricFamily(name: name, help: help, labels: labels, settings: ()))
    }

    package func counter(_ name: String, help: String) -> Counter {
        counters(name, help: help).with()
    }

    package func gauges(_ name: String, help: String, labels: [String] = []) -> MetricFamily<Gauge> {
        register(MetricFamily(name: name, help: help, labels: labels, settings: ()))
    }

    package func gauge(_ name: String, help: String) -> Gauge {
        gauges(name, help: help).with()
    }

    /// - Parameter bounds: upper bounds of the buckets, ascending, in the unit that the name ends with.
    package func histograms(
        _ name: String, help: String, labels: [String] = [], bounds: [Double] = Histogram.seconds
    ) -> MetricFamily<Histogram> {
        register(MetricFamily(name: name, help: help, labels: labels, settings: bounds))
    }

    package func histogram(_ name: String, help: String, bounds: [Double] = Histogram.seconds) -> Histogram {
        histograms(name, help: help, bounds: bounds).with()
    }

    /// Metrics whose samples are made whenever they are asked for.
    ///
    /// - Parameter samples: values of the labels, in their order, and the number.
    package func computed(
        _ kind: ComputedKind, _ name: String, help: String, labels: [String] = [],
        _ samples: @escaping @Sendable () -> [(labels: [String], value: Double)]
    ) {
        families.withLock {
            $0.append(ComputedFamily(kind: kind, name: name, help: help, labelNames: labels, samples: samples))
        }
    }

    /// What Prometheus' client libraries tell of a process: processor time, memory, descriptors, threads, start.
    package func addProcessMetrics() {
        families.withLock { $0.append(ProcessMetrics()) }
    }

    /// All families in the order in which they were registered.
    package func render() -> String {
        var text = ""
        for family in families.withLock({ $0 }) { family.write(to: &text) }
        return text
    }

    private func register<Metric>(_ family: MetricFamily<Metric>) -> MetricFamily<Metric> {
        families.withLock { $0.append(family) }
        return family
    }
}

extension String {
    mutating func appendHeader(_ name: String, help: String, kind: String) {
        self += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    /// Appends `name{label="value"} number` with backslash, quote and line feed escaped as the format asks.
    mutating func appendSample(_ name: String, _ labels: [(name: String, value: String)], _ value: String) {
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
