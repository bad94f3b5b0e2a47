internal import Base
internal import Foundation

/// A PostgreSQL database that several replicas share.
///
/// Writes of this process go through one connection, in batches that share a commit. Reads use a few other connections.
/// Commits are synchronous. Parameters are always bound.
final class PostgreSQLDatabase: SQLDatabase {
    private let readers: PostgreSQLReaders
    private let committer: WriteCommitter

    /// Connects and migrates. Waits for a starting server as long as `patience` allows.
    static func repository(
        connectionString: String, readers: Int = 4, options: RepositoryOptions
    ) async throws(HistoryError) -> HistoryRepository {
        let opening = BlockingPool(label: "menagerie.history.opening", width: 1, maximumPending: 1)
        try await opening.run { () throws(HistoryError) in
            let session = PostgreSQLSession(connectionString: connectionString, patience: options.patience)
            try session.transaction("BEGIN") { connection in
                // A large history takes longer than any other statement may, and replicas wait for the first one.
                try connection.command("SET LOCAL statement_timeout = 0")
                connection.answerTimeout = nil
                try PostgreSQLMigrations.migrate(connection)
            }
        }
        let database = PostgreSQLDatabase(connectionString: connectionString, readers: readers, options: options)
        return HistoryRepository(database: database, options: options)
    }

    private init(connectionString: String, readers: Int, options: RepositoryOptions) {
        self.readers = PostgreSQLReaders(
            connectionString: connectionString, patience: options.patience, count: readers,
            maximumPending: options.maximumPending)
        let writer = PostgreSQLWriter(
            session: PostgreSQLSession(connectionString: connectionString, patience: options.patience))
        committer = WriteCommitter(label: "menagerie.history.postgresql", options) { writer.commit($0) }
    }

    func read<Value: Sendable>(_ body: @escaping SQLTransaction<Value>) async throws(HistoryError) -> Value {
        try await readers.read(body)
    }

    func submit(_ job: WriteJob) async throws(HistoryError) -> WriteJob.Outcome { try await committer.submit(job) }

    /// PostgreSQL checks its pages itself when it reads them (initdb --data-checksums).
    func checkIntegrity() async throws(HistoryError) -> [String] { [] }

    /// Autovacuum frees space. This only compacts the running totals.
    func reclaimSpace() async throws(HistoryError) {
        try await write { try PostgreSQLMigrations.compactTotals($0) }
    }

    func copy(to path: String) async throws(HistoryError) -> Bool { false }

    func close() async throws(HistoryError) {
        await committer.close()
        readers.close()
    }
}

/// Commits batches on one connection.
///
/// `@unchecked Sendable`: only the serial queue of the `GroupCommitter` calls `commit`, so only one thread at a time
/// uses the session and the counter.
private final class PostgreSQLWriter: @unchecked Sendable {
    private let session: PostgreSQLSession
    private var writesSinceCompaction = 0

    init(session: PostgreSQLSession) { self.session = session }

    /// Runs the jobs in one transaction, each in a savepoint: a failed job leaves the others alone. Their photos come
    /// first, in sorted order, so that replicas that save the same photos do not deadlock.
    func commit(_ jobs: [WriteJob]) -> [Result<WriteJob.Outcome, HistoryError>] {
        let photos = Set(jobs.flatMap(\.photos)).sorted { $0.digest.hexadecimal < $1.digest.hexadecimal }
        do throws(HistoryError) {
            let results = try session.transaction("BEGIN") { connection in
                let found = Set(try photos.filter { try PhotoTable.store($0, connection) })
                return try jobs.map { job in
                    try Self.result(of: job.body, connection).map { value in
                        WriteJob.Outcome(value: value, foundPhoto: job.photos.contains(where: found.contains))
                    }
                }
            }
            try compactNowAndThen(after: jobs.count)
            return results
        } catch {
            return Array(repeating: .failure(error), count: jobs.count)
        }
    }

    private static func result(
        of job: SQLTransaction<any Sendable>, _ connection: PostgreSQLConnection
    ) throws -> Result<any Sendable, HistoryError> {
        try connection.command("SAVEPOINT job")
        do {
            let value = try job(connection)
            try connection.command("RELEASE SAVEPOINT job")
            return .success(value)
        } catch {
            // The connection failed, not the job. The whole batch is run again.
            if let error = error as? PostgreSQLError, error.isWorthRepeating || error.isOfReader { throw error }
            try connection.command("ROLLBACK TO SAVEPOINT job")
            return .failure(.postgreSQL(error))
        }
    }

    private func compactNowAndThen(after count: Int) throws(HistoryError) {
        writesSinceCompaction += count
        guard writesSinceCompaction >= 500 else { return }
        writesSinceCompaction = 0
        // The batch is committed: an error from here on must not turn it into a failure.
        _ = try? session.transaction("BEGIN") { try PostgreSQLMigrations.compactTotals($0) }
    }
}
