internal import Base

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
