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
