import Base

/// A name and a value that distinguish metrics of one name.
struct MetricLabel: Hashable, Sendable {
    let name: String
    let value: String
}

/// A metric under one `# TYPE` of the exposition, ready to be written.
protocol WritableFamily: Sendable {
    /// Appends the lines of the exposition: help, type and samples.
    func write(to text: inout String)
}

/// The cells of one metric, for each combination of labels.
final class CellFamily<Cell: MetricCell>: WritableFamily {
    let name: String
    private let help: String
    private let makeCell: @Sendable () -> Cell
    /// The first cell of each list is the shared one.
    private let cells = Locked<[[MetricLabel]: [Cell]]>([:])

    init(name: String, help: String, makeCell: @escaping @Sendable () -> Cell) {
        self.name = name
        self.help = help
        self.makeCell = makeCell
    }

    /// The shared cell for these labels. It is made on first use.
    ///
    /// - Parameter labels: sorted by name.
    func shared(_ labels: [MetricLabel]) -> Cell {
        cells.withLock { cells in
            if let known = cells[labels]?.first { return known }
            let cell = makeCell()
            cells[labels] = [cell]
            return cell
        }
    }

    /// A new cell for these labels, for one thread.
    ///
    /// - Parameter labels: sorted by name.
    func own(_ labels: [MetricLabel]) -> Cell {
        let cell = makeCell()
        cells.withLock { $0[labels, default: []].append(cell) }
        return cell
    }

    func write(to text: inout String) {
        text.appendHeader(name, help: help, kind: Cell.kind)
        func values(_ labels: [MetricLabel]) -> [String] { labels.map(\.value) }
        let snapshot = cells.withLock { $0 }
        for (labels, cells) in snapshot.sorted(by: { values($0.key).lexicographicallyPrecedes(values($1.key)) }) {
            Cell.write(cells, name: name, labels: labels, to: &text)
        }
    }
}

/// The kind of a metric whose samples are computed.
package enum ComputedKind: String, Sendable {
    /// A value that only grows.
    case counter
    case gauge
}

/// A family without cells. Its samples are computed when it is written.
struct ComputedFamily: WritableFamily {
    let kind: ComputedKind
    let name: String
    let help: String
    let labelNames: [String]
    let samples: @Sendable () -> [(labels: [String], value: Double)]

    func write(to text: inout String) {
        text.appendHeader(name, help: help, kind: kind.rawValue)
        for sample in samples() {
            let labels = zip(labelNames, sample.labels).map { MetricLabel(name: $0, value: $1) }
            text.appendSample(name, labels, sample.value.sampleText)
        }
    }
}

extension Double {
    /// The value as counters and gauges are written: a whole number has no point.
    var sampleText: String {
        rounded() == self && magnitude < 1e15 ? String(Int(self)) : "\(self)"
    }
}
