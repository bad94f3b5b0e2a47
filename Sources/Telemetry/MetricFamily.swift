import Base

/// All instruments of one name, told apart by the values of their labels.
package final class MetricFamily<Metric: Instrument>: Sendable {
    private let name: String
    private let help: String
    private let labelNames: [String]
    private let settings: Metric.Settings
    /// The first of each is the one that all share.
    private let children = Locked<[[String]: [Metric]]>([:])

    init(name: String, help: String, labels: [String], settings: Metric.Settings) {
        self.name = name
        self.help = help
        self.labelNames = labels
        self.settings = settings
    }

    /// The instrument for these label values, made on first use.
    ///
    /// Values must come from a bounded set (routes, status codes), never from what a client sends.
    /// - Parameter values: one for each of the family's labels, in their order.
    package func with(_ values: String...) -> Metric {
        precondition(values.count == labelNames.count, "\(name) has the labels \(labelNames)")
        return children.withLock { children in
            if let known = children[values]?.first { return known }
            let metric = Metric(settings: settings)
            children[values] = [metric]
            return metric
        }
    }

    /// A new instrument for these label values, for a thread that counts often: no other touches its memory, and what is
    /// written is the sum of all instruments with these values. It is kept for as long as the family.
    package func own(_ values: String...) -> Metric {
        precondition(values.count == labelNames.count, "\(name) has the labels \(labelNames)")
        let metric = Metric(settings: settings)
        children.withLock { $0[values, default: []].append(metric) }
        return metric
    }
}

/// A family whose labels' types have been forgotten, ready to be written.
protocol WritableFamily: Sendable {
    func write(to text: inout String)
}

extension MetricFamily: WritableFamily {
    func write(to text: inout String) {
        text.appendHeader(name, help: help, kind: Metric.kind)
        let snapshot = children.withLock { $0 }
        for (values, parts) in snapshot.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            Metric.write(parts, name: name, labels: Array(zip(labelNames, values)), to: &text)
        }
    }
}
