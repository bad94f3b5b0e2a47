import Foundation
import Metrics
import Storage
import Telemetry
import Training

/// The metrics of trainings and challengers.
struct TrainingMetrics: Sendable {
    private let trainings: MetricFamily<Counter>
    private let photos: Counter
    private let skipped: Counter
    private let seconds: MetricFamily<Timer>
    private let shadow: MetricFamily<Counter>

    init(registry: MetricRegistry) {
        trainings = registry.counters(
            "menagerie_trainings_total", help: "Trainings that are over, by how they ended.", labels: ["state"])
        photos = registry.counter("menagerie_training_photos_total", help: "Photos that trainings looked at.")
        skipped = registry.counter(
            "menagerie_training_skipped_files_total", help: "Files that finished trainings skipped.")
        seconds = registry.timers(
            "menagerie_training_duration_seconds", help: "From a training's start to its end.", labels: ["state"],
            bounds: [1, 2, 5, 10, 30, 60, 300, 900, 3_600])
        shadow = registry.counters(
            "menagerie_shadow_photos_total",
            help: "Photos that a challenger answered beside the deployed version, by outcome.",
            labels: ["model", "outcome"])
        for state in TrainingRecord.State.allCases where state.isOver { _ = trainings.with(state.rawValue) }
    }

    /// Registers metrics of the service. Call it once.
    func show(_ service: TrainingService, in registry: MetricRegistry) {
        registry.computed(
            .gauge, "menagerie_trainings", help: "Trainings that wait or are under way.", labels: ["state"]
        ) {
            let counts = service.table.counts
            return [(["waiting"], Double(counts.waiting)), (["running"], Double(counts.running))]
        }
        service.observe { event in
            switch event {
            case .looked: photos.increment()
            case .ended(let record): count(record)
            case .changed, .iteration: break
            }
        }
        service.shadow.observe { shadow.with($0, $1.rawValue).increment() }
    }

    private func count(_ record: TrainingRecord) {
        trainings.with(record.state.rawValue).increment()
        skipped.increment(by: record.skippedCount)
        guard let start = record.startedAt, let end = record.endedAt else { return }
        seconds.with(record.state.rawValue).recordSeconds(end.timeIntervalSince(start))
    }
}
