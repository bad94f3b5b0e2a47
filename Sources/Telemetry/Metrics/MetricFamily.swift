import Metrics

/// Counters, meters, timers or recorders of swift-metrics under one name, told apart by the values of their labels.
///
/// To look one up takes longer than to count on it: who counts often keeps it.
package struct MetricFamily<Metric: Sendable>: Sendable {
    private let name: String
    private let labelNames: [String]
    private let make: @Sendable (_ labels: [MetricLabel], _ isShared: Bool) -> Metric

    /// - Parameters:
    ///   - labels: their names in ascending order.
    ///   - handle: makes what is counted on.
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

    /// Counts for these label values, together with everybody who asked for them.
    ///
    /// Values must come from a bounded set (routes, status codes), never from what a client sends.
    /// - Parameter values: one for each of the family's labels, in their order.
    package func with(_ values: String...) -> Metric { make(labels(values), true) }

    /// Counts for these label values on memory that no other touches, for a thread that counts often; what is written is
    /// the sum of all that have these values. It is kept for as long as the family.
    package func own(_ values: String...) -> Metric { make(labels(values), false) }

    private func labels(_ values: [String]) -> [MetricLabel] {
        precondition(values.count == labelNames.count, "\(name) has the labels \(labelNames)")
        return zip(labelNames, values).map { MetricLabel(name: $0, value: $1) }
    }
}
