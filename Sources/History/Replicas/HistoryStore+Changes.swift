internal import Base
internal import Logging

extension HistoryStore {
    /// Announces a durable change to the other replicas. A replica that was out of reach treats everything as changed
    /// when it reconnects.
    package func notify(_ change: HistoryChange) async {
        do {
            try await scans.notify(ChangeNotice(change, by: sender).text)
        } catch {
            logger.warning("A change was not announced to the other replicas", metadata: ["error": "\(error)"])
        }
    }

    /// Calls the body for each change by another replica, as long as the history is open. Call it only once.
    package func observeChanges(_ body: @escaping @Sendable (HistoryChange) -> Void) {
        guard case .postgreSQL(let connectionString) = configuration.backend else { return }
        let listener = PostgreSQLListener(connectionString: connectionString, logger: logger) { [sender] text in
            // A change may have been announced while nobody listened.
            guard let text else { return HistoryChange.allCases.forEach(body) }
            guard let notice = ChangeNotice(text), notice.sender != sender else { return }
            body(notice.change)
        }
        listening.withLock { $0 = listener }
    }
}
