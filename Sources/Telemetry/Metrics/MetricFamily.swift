import Metrics

/// Counters, meters or timers of swift-metrics with one name. The values of their labels distinguish them.
///
/// Looking a metric up takes longer than counting on it, so code that counts often keeps the metric.
package struct MetricFamily<Metric: Sendable>: Sendable {
    private let name: String
    private let labelNames: [String]
    private let make: @Sendable (_ labels: [MetricLabel], _ isShared: Bool) -> Metric

    /// - Parameters:
    ///   - labels: the names of the labels, sorted.
    ///   - handle: makes the swift-metrics object for a cell.
    init<Cell>(
        _ cells: CellFamily<Cell>, labels: [String],
        handle: @escaping @Sendable (_ cell: Cell, _ name: String, _ dimensions: [(String, String)]) -> Metric
    ) {
        precondition(labels == labels.sorted(), "The labels of \(cells.name) do not ascend.")
        name = cells.name
        labelNames = labels
        make = { labels, isShared in
            let cell = isShared ? cells.shared(labels) : cells.own(labels)
            return handle(cell, cells.name, labels.map { ($0.name, $0.value) })
        }
    }

    /// The metric for these label values, shared with all who ask for them.
    ///
    /// Values must come from a bounded set (routes, status codes), never from a client.
    /// - Parameter values: one for each of the family's labels, in their order.
    package func with(_ values: String...) -> Metric { make(labels(values), true) }

    /// A metric for these label values with memory of its own, for a thread that counts often. The exposition shows the
    /// sum of all metrics with these values. The memory lives as long as the family.
    package func own(_ values: String...) -> Metric { make(labels(values), false) }

    private func labels(_ values: [String]) -> [MetricLabel] {
        precondition(values.count == labelNames.count, "\(name) has the labels \(labelNames)")
        return zip(labelNames, values).map { MetricLabel(name: $0, value: $1) }
    }
}
