internal import Foundation
internal import GRDB

/// GRDB's connection behind `SQLConnection`. Statements are prepared once per connection and kept.
struct SQLiteConnection: SQLConnection {
    let database: Database

    /// One process has the database.
    func becomesJanitor() -> Bool { true }

    func notify(_ text: String) {}

    var positionFunction: String { "instr" }
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
        case .double(let double): .integer(Int64(double))
        case .string(let text): .text(text)
        }
    }
}
