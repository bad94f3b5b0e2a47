internal import Base
internal import Logging

extension HistoryStore {
    /// Tells the other replicas of a change that is durable. One that is not reached learns of it when it is again: it then
    /// takes everything for changed.
    package func tell(_ change: HistoryChange) async {
        do {
            try await scans.notify(ChangeNotice(change, by: teller).text)
        } catch {
            logger.warning("The other replicas were not told of a change", metadata: ["error": "\(error)"])
        }
    }

    /// Has the body told of what other replicas change, as long as the history is open. Once only.
    package func observeChanges(_ body: @escaping @Sendable (HistoryChange) -> Void) {
        guard case .postgreSQL(let connectionString) = configuration.backend else { return }
        let listener = PostgreSQLListener(connectionString: connectionString) { [teller] text in
            // Something may have been said while nobody listened.
            guard let text else { return HistoryChange.allCases.forEach(body) }
            guard let notice = ChangeNotice(text), notice.teller != teller else { return }
            body(notice.change)
        }
        listening.withLock { $0 = listener }
    }
}
