import Base
package import Metrics

/// What libraries count through swift-metrics stands beside our own, under the names that Prometheus asks for.
///
/// A label such as `db.pool-size` becomes `db_pool_size`; counters end in `_total`, timers in `_seconds`. swift-metrics has
/// no help texts, so that each names the library's label. Who asks for a name of ours counts on ours. What asks for the
/// name of another kind of metric is not shown: a name has one type.
extension MetricRegistry: MetricsFactory {
    /// Upper bounds for numbers of which only the library knows what they are.
    private static let powersOfTen: [Double] = [0.001, 0.01, 0.1, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        cell(label, ending: "_total", dimensions) { CounterCell() } ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        cell(label, dimensions) { GaugeCell() } ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let cell: (any RecorderHandler)? =
            aggregate
            ? cell(label, dimensions) { HistogramCell(bounds: Self.powersOfTen) }
            : cell(label, dimensions) { GaugeCell() }
        return cell ?? NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        cell(label, ending: "_seconds", dimensions) { HistogramCell(bounds: Self.seconds) }
            ?? NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) { remove(handler as? CounterCell) }

    package func destroyMeter(_ handler: any MeterHandler) { remove(handler as? GaugeCell) }

    package func destroyRecorder(_ handler: any RecorderHandler) {
        remove(handler as? HistogramCell)
        remove(handler as? GaugeCell)
    }

    package func destroyTimer(_ handler: any TimerHandler) { remove(handler as? HistogramCell) }

    /// Nil where the name is that of something else.
    private func cell<Cell: MetricCell>(
        _ label: String, ending: String = "", _ dimensions: [(String, String)],
        makeCell: @escaping @Sendable () -> Cell
    ) -> Cell? {
        var name = Self.identifier(label, allowing: ":")
        if !name.hasSuffix(ending) { name += ending }
        let family: CellFamily<Cell>? = families.withLock { families in
            if let known = families.first(where: { $0.names.contains(name) }) { return known as? CellFamily<Cell> }
            // Quoted, so that whatever stands in a label stays in its line.
            let help = "Of a library, which calls it \(label.debugDescription)."
            let family = CellFamily(name: name, help: help, isOurs: false, makeCell: makeCell)
            families.append(family)
            return family
        }
        return family?.shared(Self.labels(dimensions))
    }

    private func remove<Cell: MetricCell>(_ cell: Cell?) {
        guard let cell else { return }
        for case let family as CellFamily<Cell> in families.withLock({ $0 }) { family.remove(cell) }
    }

    /// Ascending by name, each name once; the last value counts. The bounds of a histogram's buckets are labels named `le`,
    /// so that none of a library's is.
    private static func labels(_ dimensions: [(String, String)]) -> [MetricLabel] {
        let named = dimensions.map { (name, value) in
            let name = identifier(name)
            return (name == "le" ? "le_" : name, value)
        }
        return Dictionary(named) { $1 }.map { MetricLabel(name: $0, value: $1) }.sorted { $0.name < $1.name }
    }

    /// The text with everything but ASCII letters, digits and underscores replaced, and no digit in front.
    private static func identifier(_ text: String, allowing other: Character = "_") -> String {
        let name = String(
            text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == other) ? $0 : "_" as Character })
        return name.first.map { $0.isNumber } ?? true ? "_" + name : name
    }
}
