/// A value bound to a parameter or read from a column.
enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    init(_ text: String?) {
        self = text.map(SQLValue.text) ?? .null
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }
}

/// A search in the table `scan_notes`, which has the notes and little else.
struct NoteSearch {
    var condition: String
    var values: [SQLValue]
    /// Whether the table has the columns `created_at` and `id` of the scans.
    var hasTimes: Bool
}

/// A connection inside a transaction. Statements are written once for SQLite and PostgreSQL, with `?` for parameters.
protocol SQLConnection {
    /// The condition on `scans` that the note contains a text, and its values, so that an index can serve it.
    /// - Returns: with the table as FROM names it.
    func noteContains(_ text: String) throws -> (table: String, condition: String, values: [SQLValue])
    /// The rows of the table `scan_notes` whose note contains a text: one for each such scan that is not deleted. Nil where
    /// the table cannot tell.
    func notesContaining(_ text: String) throws -> NoteSearch?
    /// What a SELECT ends in when its row is about to be updated, so that replicas take turns; empty in SQLite, where
    /// writers take turns anyway.
    var lockingClause: String { get }
    /// Whether this transaction may remove what is due: false while another replica's is at it.
    func becomesJanitor() throws -> Bool
    /// Tells whoever listens at the database, once the transaction is committed.
    func notify(_ text: String) throws
    /// The query for the bytes of the database, without the photos.
    var sizeQuery: String { get }
    /// The rows that a query finds, each as the values of its columns.
    func rows(_ sql: String, _ values: [SQLValue]) throws -> [[SQLValue]]
    /// Returns how many rows were inserted, updated or deleted.
    @discardableResult func execute(_ sql: String, _ values: [SQLValue]) throws -> Int
}

extension SQLConnection {
    /// The integer in the only row and column; 0 when there is none.
    func integer(_ sql: String, _ values: [SQLValue]) throws -> Int {
        Int(try rows(sql, values).first?.first?.integer ?? 0)
    }
}

/// A database with the tables of `SQLRepository`, whose transactions never block the cooperative pool.
protocol SQLDatabase: Sendable {
    /// Runs the body in a transaction that sees one state of the database.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(HistoryError) -> Value

    /// Runs the body in a transaction that may be shared with other writers, and returns once that is durable. A body
    /// that throws leaves nothing behind. It may run a second time if the connection was lost in the first, so it must
    /// arrive at the same end when its effects are there already.
    ///
    /// The photos are on the disk before the body runs; what comes back tells, too, whether one had been there before.
    /// - Parameters:
    ///   - row: the values of `ScanRecord.insertion`, where to execute that, or to find that it has been executed, is all
    ///     that the body does.
    ///   - freesSpace: whether it deletes: it then succeeds on a full disk, too.
    func write<Value: Sendable>(
        after photos: [PhotoWrite], row: [SQLValue]?, freesSpace: Bool,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(HistoryError) -> (value: Value, foundPhoto: Bool)

    /// Problems below the level of our tables.
    func checkIntegrity() async throws(HistoryError) -> [String]
    /// Gives space back after large deletions, a little at a time.
    func reclaimSpace() async throws(HistoryError)
    /// Copies the database as a whole to a new SQLite file; false where the engine is not SQLite.
    func copy(to path: String) async throws(HistoryError) -> Bool
    /// Waits for what is being written and closes the database, which is of no use after that.
    func close() async throws(HistoryError)
}

extension SQLDatabase {
    /// A write without photos.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(HistoryError) -> Value {
        try await write(after: [], row: nil, body).value
    }

    func write<Value: Sendable>(
        after photos: [PhotoWrite], row: [SQLValue]?,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(HistoryError) -> (value: Value, foundPhoto: Bool) {
        try await write(after: photos, row: row, freesSpace: false, body)
    }

    /// A write that deletes: it succeeds on a full disk, too.
    func free<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(HistoryError) -> Value {
        try await write(after: [], row: nil, freesSpace: true, body).value
    }
}
