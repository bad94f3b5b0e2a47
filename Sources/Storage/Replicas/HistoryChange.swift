internal import Base
internal import Logging

/// A change that a replica announces to the others that share its database, because they cache data that depends on it.
package enum HistoryChange: String, Sendable, CaseIterable {
    /// The names of animals, or the scans that have one.
    case individuals
    /// Trainings, the models that they made, or the versions of those models that are in use.
    case trainings
}

/// An announced change, and the process that announced it.
struct ChangeNotice: Hashable, Sendable {
    var change: HistoryChange
    var sender: ULID

    init(_ change: HistoryChange, by sender: ULID) {
        (self.change, self.sender) = (change, sender)
    }

    /// Reads a notice. Nil for one of a later release.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, let change = HistoryChange(rawValue: String(words[0])),
            let sender = ULID(String(words[1]))
        else { return nil }
        self.init(change, by: sender)
    }

    var text: String { "\(change.rawValue) \(sender)" }
}

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
