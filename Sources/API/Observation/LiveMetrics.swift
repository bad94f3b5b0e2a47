import Metrics
import Telemetry

struct LiveMetrics: Sendable {
    /// The fate of a frame.
    enum Outcome: String, CaseIterable {
        case received
        /// It was recognised and answered.
        case answered
        /// A newer frame replaced it before it was recognised.
        case dropped
        /// It could not be read, or the models failed.
        case failed
    }

    let sessions: Meter
    private let counters: [Outcome: Counter]
    /// The time from the last byte of a frame to its answer.
    let latency: Timer

    init(registry: MetricRegistry) {
        sessions = registry.meter("menagerie_live_sessions", help: "Live streams that are open.")
        let frames = registry.counters(
            "menagerie_live_frames_total", help: "Frames of live streams, by outcome.", labels: ["outcome"])
        // The counters are resolved once, because building labels for every frame would cost too much.
        counters = Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0, frames.with($0.rawValue)) })
        latency = registry.timer(
            "menagerie_live_latency_seconds", help: "From a frame's last byte to its answer, waiting included.")
    }

    func count(_ outcome: Outcome) { counters[outcome]?.increment() }
}
