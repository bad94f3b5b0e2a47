import History
import ServiceLifecycle

/// Keeps the history tidy until the process is told to stop.
struct HistoryService: Service {
    let history: HistoryStore

    func run() async throws {
        await cancelWhenGracefulShutdown { await history.runMaintenance() }
    }
}
