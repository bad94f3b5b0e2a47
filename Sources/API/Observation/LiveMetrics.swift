import Metrics
import Telemetry

/// What live streams report.
struct LiveMetrics: Sendable {
    /// What became of a frame.
    enum Outcome: String, CaseIterable {
        /// It came in.
        case received
        /// It was looked at and answered.
        case answered
        /// A newer one took its place before it was looked at.
        case dropped
        /// It could not be read, or the models could not look at it.
        case failed
    }

    let sessions: Meter
    private let counters: [Outcome: Counter]
    /// From the last byte of a frame to its answer.
    let latency: Timer

    init(registry: MetricRegistry) {
        sessions = registry.meter("menagerie_live_sessions", help: "Live streams that are open.")
        let frames = registry.counters(
            "menagerie_live_frames_total", help: "Frames of live streams, by what became of them.", labels: ["outcome"])
        // Resolved once: a frame's way is no place to build labels.
        counters = Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0, frames.with($0.rawValue)) })
        latency = registry.timer(
            "menagerie_live_latency_seconds", help: "From a frame's last byte to its answer, waiting included.")
    }

    func count(_ outcome: Outcome) { counters[outcome]?.increment() }
}
