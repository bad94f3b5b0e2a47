/// A value bound to a parameter or read from a column.
enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }

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

/// A search in the table `scan_notes`, which holds little beside the notes.
struct NoteSearch {
    var condition: String
    var values: [SQLValue]
    /// Whether the table has the scans' columns `created_at` and `id`.
    var hasTimes: Bool
}

/// A connection inside a transaction. Statements are written once for SQLite and PostgreSQL, with `?` for parameters.
protocol SQLConnection {
    /// A condition that the note of a scan contains a text, in the form that an index serves.
    /// - Returns: the condition with its values, and the table as FROM names it.
    func noteContains(_ text: String) throws -> (table: String, condition: String, values: [SQLValue])
    /// The rows of `scan_notes` whose note contains a text, one for each matching scan that is not deleted. Nil if the
    /// table cannot answer.
    func notesContaining(_ text: String) throws -> NoteSearch?
    /// The end of a SELECT whose row is about to be updated, so that replicas take turns. Empty in SQLite, where
    /// writers always take turns.
    var lockingClause: String { get }
    /// Whether this transaction may remove scans that are due. False while a transaction of another replica does so.
    func becomesJanitor() throws -> Bool
    /// Sends a text to every listener at the database when the transaction commits.
    func notify(_ text: String) throws
    /// The query for the size of the database in bytes, without the photos.
    var sizeQuery: String { get }
    /// The rows that a query finds, each as the values of its columns.
    func rows(_ sql: String, _ values: [SQLValue]) throws -> [[SQLValue]]
    /// Returns the number of rows inserted, updated or deleted.
    @discardableResult func execute(_ sql: String, _ values: [SQLValue]) throws -> Int
}

extension SQLConnection {
    /// The integer in the only row and column. 0 if there is no row.
    func integer(_ sql: String, _ values: [SQLValue]) throws -> Int {
        Int(try rows(sql, values).first?.first?.integer ?? 0)
    }
}

/// The body of a transaction.
typealias SQLTransaction<Value> = @Sendable (any SQLConnection) throws -> Value

/// A database with the tables of `HistoryRepository`, whose transactions never block the cooperative pool.
protocol SQLDatabase: Sendable {
    /// Runs the body in a transaction that sees one state of the database.
    func read<Value: Sendable>(_ body: @escaping SQLTransaction<Value>) async throws(HistoryError) -> Value

    /// Runs a job in a transaction that other writers may share, and returns when it is durable. A body that throws
    /// leaves nothing behind. The body may run a second time after a lost connection. It must then reach the same
    /// result even if its effects are there already.
    func submit(_ job: WriteJob) async throws(HistoryError) -> WriteJob.Outcome

    /// Problems that the engine itself reports.
    func checkIntegrity() async throws(HistoryError) -> [String]
    /// Gives space back after large deletions, a little at a time.
    func reclaimSpace() async throws(HistoryError)
    /// Copies the whole database to a new SQLite file as one snapshot, while others go on writing. Returns false and
    /// writes nothing if the engine is not SQLite.
    func copy(to path: String) async throws(HistoryError) -> Bool
    /// Waits for pending writes and closes the database for good.
    func close() async throws(HistoryError)
}

extension SQLDatabase {
    /// Submits a body with the photos that must be on the disk before it runs.
    ///
    /// - Parameters:
    ///   - row: the values of `ScanRecord.insertion`, if the body only executes that insertion or finds it executed.
    ///   - freesSpace: whether the body deletes. It then succeeds on a full disk, too.
    /// - Returns: the body's answer, and whether one of the photos existed before.
    func write<Value: Sendable>(
        after photos: [PhotoFile], row: [SQLValue]?, freesSpace: Bool = false, _ body: @escaping SQLTransaction<Value>
    ) async throws(HistoryError) -> (value: Value, foundPhoto: Bool) {
        let job = WriteJob(photos: photos, row: row, freesSpace: freesSpace) { try body($0) }
        let outcome = try await submit(job)
        guard let value = outcome.value as? Value else { throw .unavailable("a write answered with another type") }
        return (value, outcome.foundPhoto)
    }

    /// A write without photos.
    func write<Value: Sendable>(_ body: @escaping SQLTransaction<Value>) async throws(HistoryError) -> Value {
        try await write(after: [], row: nil, body).value
    }

    /// A write of one statement. Returns the number of rows inserted, updated or deleted.
    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) async throws(HistoryError) -> Int {
        try await write { try $0.execute(sql, values) }
    }

    /// The rows that one query finds.
    func rows(_ sql: String, _ values: [SQLValue]) async throws(HistoryError) -> [[SQLValue]] {
        try await read { try $0.rows(sql, values) }
    }

    /// A write that deletes. It succeeds on a full disk, too.
    func free<Value: Sendable>(_ body: @escaping SQLTransaction<Value>) async throws(HistoryError) -> Value {
        try await write(after: [], row: nil, freesSpace: true, body).value
    }
}
