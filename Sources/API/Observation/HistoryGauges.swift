import Base
import Storage
import Telemetry

/// The size of the history for the metrics. It is read in the background, so that a request for metrics never waits for
/// the database and gets the latest known values.
final class HistoryGauges: Sendable {
    private struct State {
        var usage: HistoryUsage?
        var isReading = false
        /// The earliest time of the next reading.
        var due: ContinuousClock.Instant?
    }

    /// The shortest time between readings, however often the metrics are requested.
    private static let interval = Duration.seconds(5)

    private let history: HistoryStore
    private let state = Locked(State())

    init(_ history: HistoryStore) {
        self.history = history
        refresh()
    }

    func register(in registry: MetricRegistry) {
        let gauges: [(name: String, help: String, value: @Sendable (HistoryUsage) -> Int)] = [
            ("menagerie_history_scans", "Scans in the history.", { $0.scans }),
            ("menagerie_history_photo_bytes", "Bytes of the scans' photos.", { $0.photoBytes }),
            ("menagerie_history_database_bytes", "Bytes of the history's database.", { $0.databaseBytes }),
        ]
        for gauge in gauges {
            registry.computed(.gauge, gauge.name, help: gauge.help) { [self] in
                refresh()
                return state.withLock { $0.usage }.map { [([], Double(gauge.value($0)))] } ?? []
            }
        }
    }

    /// Reads the history in a task of its own, unless that was done recently. A failure keeps the old values.
    private func refresh() {
        let isDue = state.withLock { state in
            guard !state.isReading, state.due.map({ $0 <= .now }) ?? true else { return false }
            state.isReading = true
            return true
        }
        guard isDue else { return }
        Task { [self] in
            let usage = try? await history.scans.usage()
            state.withLock { state in
                state.usage = usage ?? state.usage
                state.isReading = false
                state.due = .now + Self.interval
            }
        }
    }
}
