internal import Base

/// What a replica tells the others that share its database, since they keep something that follows from it.
package enum HistoryChange: String, Sendable, CaseIterable {
    /// The names of animals, or the scans that have one.
    case individuals
    /// Trainings, the models that they made, or which versions of those answer.
    case trainings
    /// How far the trainings are that are under way.
    case progress
}

/// A change on its way: what it is, and which process tells of it.
struct ChangeNotice: Hashable, Sendable {
    var change: HistoryChange
    var teller: ULID

    init(_ change: HistoryChange, by teller: ULID) {
        (self.change, self.teller) = (change, teller)
    }

    /// Nil for a notice of a later release.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, let change = HistoryChange(rawValue: String(words[0])),
            let teller = ULID(String(words[1]))
        else { return nil }
        self.init(change, by: teller)
    }

    var text: String { "\(change.rawValue) \(teller)" }
}
