internal import Base
internal import Foundation
internal import GRDB

/// GRDB's connection behind `SQLConnection`. Statements are prepared once per connection and kept.
struct SQLiteConnection: SQLConnection {
    let database: Database

    /// Only one process uses the database.
    func becomesJanitor() -> Bool { true }

    func notify(_ text: String) {}

    /// The most rows that are gathered and sorted. For more, the index of the notes by time is faster.
    private static let gatheringLimit = 500

    /// Names the index of the notes, because SQLite would choose a narrower one and read the notes from the rows.
    func noteContains(_ text: String) throws -> (table: String, condition: String, values: [SQLValue]) {
        let contains = "instr(note_folded, ?) > 0"
        guard let search = notesContaining(text),
            try integer(
                "SELECT COUNT(*) FROM (SELECT 1 FROM scan_notes WHERE \(search.condition) LIMIT \(Self.gatheringLimit + 1))",
                search.values) <= Self.gatheringLimit
        else { return ("scans INDEXED BY scans_noted", contains, [.text(text)]) }
        return (
            "scans", "sequence IN (SELECT rowid FROM scan_notes WHERE \(search.condition)) AND \(contains)",
            search.values + [.text(text)]
        )
    }

    /// The table indexes every three characters in a row (SQLite, FTS5 extension, 4.3.4 "The Trigram Tokenizer"). A
    /// shorter text needs a search through all notes. So does one with NUL, which would end the phrase.
    func notesContaining(_ text: String) -> NoteSearch? {
        guard text.unicodeScalars.count >= 3, !text.utf8.contains(0) else { return nil }
        let phrase = "\"" + text.replacing(scalar: "\"", with: "\"\"") + "\""
        return NoteSearch(condition: "scan_notes MATCH ?", values: [.text(phrase)], hasTimes: false)
    }

    var lockingClause: String { "" }
    var sizeQuery: String { "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()" }

    func rows(_ sql: String, _ values: [SQLValue]) throws -> [[SQLValue]] {
        let statement = try database.cachedStatement(sql: sql)
        let cursor = try Row.fetchCursor(statement, arguments: Self.arguments(values))
        var rows: [[SQLValue]] = []
        while let row = try cursor.next() {
            rows.append((0..<row.count).map { Self.value(row[$0]) })
        }
        return rows
    }

    @discardableResult func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try database.cachedStatement(sql: sql).execute(arguments: Self.arguments(values))
        return database.changesCount
    }

    private static func arguments(_ values: [SQLValue]) -> StatementArguments {
        StatementArguments(
            values.map { value -> (any DatabaseValueConvertible)? in
                switch value {
                case .null: nil
                case .integer(let integer): integer
                case .text(let text): text
                case .bytes(let bytes): Data(bytes)
                }
            })
    }

    private static func value(_ value: DatabaseValue) -> SQLValue {
        switch value.storage {
        case .null: .null
        case .blob(let data): .bytes(Array(data))
        case .int64(let integer): .integer(integer)
        case .double(let double): .integer(Int64(clamping: double))
        case .string(let text): .text(text)
        }
    }
}
