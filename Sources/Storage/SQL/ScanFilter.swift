import Base
internal import Foundation

/// The WHERE clause of a query, for the tables of scans, of their notes and of their totals.
struct ScanFilter {
    /// The table `scans` or `scan_notes`, as FROM names it.
    private(set) var table = "scans"
    private(set) var conditions: [String] = []
    private(set) var values: [SQLValue] = []

    /// The clause without the word WHERE.
    var clause: String { conditions.isEmpty ? "1 = 1" : conditions.joined(separator: " AND ") }

    /// Conditions on the live rows of `scans`. An index of the schema serves each of them.
    static func scans(
        _ query: HistoryQuery, after position: Cursor?, on connection: any SQLConnection
    ) throws -> ScanFilter {
        var filter = ScanFilter()
        filter.add("deletion IS NULL")
        filter.addEqualities(query)
        if let corrected = query.corrected { filter.add("corrected_label IS \(corrected ? "NOT NULL" : "NULL")") }
        if let named = query.named { filter.add("individual IS \(named ? "NOT NULL" : "NULL")") }
        if let individual = query.individual {
            // Names of earlier versions are stored as they were sent.
            filter.add(
                "individual IN (?, ?)", .text(individual), .text(individual.precomposedStringWithCanonicalMapping))
        }
        filter.addTimes(query)
        if let text = query.foldedText {
            filter.add("note_folded IS NOT NULL")
            let search = try connection.noteContains(text)
            filter.table = search.table
            filter.add(search.condition, search.values)
        }
        filter.addPosition(position)
        return filter
    }

    /// Conditions on `scan_notes`. Nil if that table cannot answer the whole query.
    /// - Parameter needsTimes: whether the query needs the columns `created_at` and `id`.
    static func notes(
        _ query: HistoryQuery, after position: Cursor?, needsTimes: Bool, on connection: any SQLConnection
    ) throws -> ScanFilter? {
        guard query.isAnsweredByNotes, let text = query.foldedText, let search = try connection.notesContaining(text),
            search.hasTimes || !needsTimes
        else { return nil }
        var filter = ScanFilter()
        filter.table = "scan_notes"
        filter.add(search.condition, search.values)
        filter.addTimes(query)
        filter.addPosition(position)
        return filter
    }

    /// A condition on `scans` for the newest scans that this filter of `scan_notes` finds.
    func newest(_ count: Int) -> ScanFilter {
        var filter = ScanFilter()
        filter.add(
            "id IN (SELECT id FROM scan_notes WHERE \(clause) ORDER BY created_at DESC, id DESC LIMIT ?)",
            values + [.integer(Int64(count))]
        )
        return filter
    }

    /// Conditions on `scan_totals` for a query whose `isCountedByTotals` is true.
    static func totals(_ query: HistoryQuery) -> ScanFilter {
        var filter = ScanFilter()
        filter.addEqualities(query)
        if let corrected = query.corrected { filter.add("corrected = ?", ScanRecord.flag(corrected)) }
        return filter
    }

    private mutating func addTimes(_ query: HistoryQuery) {
        if let from = query.from { add("created_at >= ?", .integer(from.milliseconds)) }
        if let to = query.to { add("created_at < ?", .integer(to.milliseconds)) }
    }

    private mutating func addPosition(_ position: Cursor?) {
        guard let position else { return }
        add("(created_at, id) < (?, ?)", .integer(position.number), .text(position.id))
    }

    private mutating func addEqualities(_ query: HistoryQuery) {
        if let label = query.label { add("label = ?", .text(label)) }
        if let species = query.species { add("species = ?", .text(species)) }
        if let abstained = query.abstained { add("abstained = ?", ScanRecord.flag(abstained)) }
    }

    private mutating func add(_ condition: String, _ values: SQLValue...) { add(condition, values) }

    private mutating func add(_ condition: String, _ values: [SQLValue]) {
        conditions.append(condition)
        self.values += values
    }
}
