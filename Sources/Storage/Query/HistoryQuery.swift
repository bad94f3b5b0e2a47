package import Base
package import Foundation

/// A query for scans, newest first. Filters that are nil do not restrict; the others must all hold.
package struct HistoryQuery: Hashable, Sendable {
    /// The allowed numbers of scans on a page.
    package static let limits = 1...100
    package static let defaultLimit = 20
    /// The name of the list in cursors.
    package static let listName = "history"

    package var limit: Int
    /// The `nextCursor` of the previous page.
    package var cursor: Cursor?
    /// The effective label: the corrected one, otherwise the model's likeliest. Lower-ranked predictions do not match.
    package var label: String?
    /// The species that the model recognised.
    package var species: String?
    /// `from` ≤ created < `to`.
    package var from, to: Date?
    /// Whether a person corrected the label.
    package var corrected: Bool?
    /// Whether a person named the animal.
    package var named: Bool?
    package var individual: String?
    /// Whether the model abstained and nobody has corrected the label since.
    package var abstained: Bool?
    /// A part of the note. Upper and lower case match each other, and “ß” matches “ss”.
    package var text: String?

    package init(
        limit: Int = HistoryQuery.defaultLimit, cursor: Cursor? = nil, label: String? = nil, species: String? = nil,
        from: Date? = nil, to: Date? = nil, corrected: Bool? = nil, named: Bool? = nil,
        individual: String? = nil, abstained: Bool? = nil, text: String? = nil
    ) {
        self.limit = limit
        self.cursor = cursor
        self.label = label
        self.species = species
        self.from = from
        self.to = to
        self.corrected = corrected
        self.named = named
        self.individual = individual
        self.abstained = abstained
        self.text = text
    }

    /// The case-folded text to search for. Nil if the query has no text.
    var foldedText: String? {
        guard let text, !text.isEmpty else { return nil }
        return text.foldedForSearch
    }

    /// Whether running totals can answer the count, so that no scans need counting.
    var isCountedByTotals: Bool {
        from == nil && to == nil && foldedText == nil && named == nil && individual == nil
    }

    /// Whether the query asks only for a text in the note and for times.
    var isAnsweredByNotes: Bool {
        foldedText != nil && label == nil && species == nil && corrected == nil && named == nil && individual == nil
            && abstained == nil
    }

    /// Checks the limit and the texts.
    func validate() throws(HistoryError) {
        guard Self.limits.contains(limit) else {
            throw .invalid(
                field: "limit",
                problem: "\(limit) is outside \(Self.limits.lowerBound) to \(Self.limits.upperBound)")
        }
        for (field, value) in [("label", label), ("species", species), ("q", text), ("individual", individual)] {
            if let value, value.utf8.contains(0) || value.utf8.count > 1_000 {
                throw .invalid(field: field, problem: "at most 1000 bytes, none of them NUL")
            }
        }
    }
}

/// A page of the history, newest first.
package struct HistoryPage: Hashable, Sendable {
    /// The highest number that counting reaches if a query restricts time or text.
    package static let countingLimit = 10_000

    package var items: [Scan]
    /// The number of scans on all pages that match the filters.
    package var total: Int
    /// Whether `total` counts every match. Filters by time or text stop the count at `countingLimit`.
    package var totalIsExact: Bool
    /// The time and id of the last scan. Scans saved or deleted meanwhile neither repeat nor hide others. Nil on the
    /// last page.
    package var nextCursor: Cursor?
    /// The scans of this page that cannot be shown, with the reasons, in words.
    package var damaged: [String] = []
}
