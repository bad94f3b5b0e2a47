internal import Foundation
internal import GRDB
internal import Synchronization

/// One SQLite file in WAL mode.
///
/// Durability: `synchronous = FULL`, so a commit flushes the log (fsync) before it returns and survives power loss;
/// `NORMAL` would only survive the death of the process. Concurrent writes share a transaction and so its flush.
final class SQLiteDatabase: SQLDatabase {
    private let pool: DatabasePool
    private let path: String
    private let committer: GroupCommitter<WriteJob, WriteJob.Outcome>
    private let isClosed = Mutex(false)

    /// Opens the file, which is made if absent, and migrates it.
    /// - Parameter photos: where the photos of a save go; nil where only rows are written.
    static func repository(
        path: String, photos: PhotoBatch? = nil, options: RepositoryOptions
    ) async throws(HistoryError) -> SQLRepository {
        let opening = BlockingPool(label: "menagerie.history.opening", width: 1, maximumPending: 1)
        let database = try await opening.run { () throws(HistoryError) in
            try SQLiteDatabase(path: path, photos: photos, options: options)
        }
        return SQLRepository(database: database, options: options)
    }

    private init(path: String, photos: PhotoBatch?, options: RepositoryOptions) throws(HistoryError) {
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration(options))
            try pool.writeWithoutTransaction { database in
                // GRDB sets NORMAL when it opens a pool.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                if try SQLiteMigrations.migrator.hasBeenSuperseded(database) {
                    throw HistoryError.newerSchema(path: path)
                }
            }
            try SQLiteMigrations.migrator.migrate(pool)
            // The name of a new file must survive power loss as well as its contents.
            try FileSystem.synchronizeDirectory(URL(fileURLWithPath: path).deletingLastPathComponent().path)
            self.pool = pool
        } catch {
            throw .sqlite(error, path: path)
        }
        self.path = path
        committer = GroupCommitter(
            label: "menagerie.history.sqlite", maximumBatch: 64, maximumPending: options.maximumPending,
            pace: options.pace
        ) { [pool] jobs in
            WriteJob.run(jobs, photos: photos) { Self.commit($0, pool: pool, path: path) }
        }
    }

    private static func configuration(_ options: RepositoryOptions) -> Configuration {
        var configuration = Configuration()
        configuration.label = "menagerie.history"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(options.patience)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // Takes effect in a new file only; lets `reclaimSpace` shrink it without rewriting it.
            if !database.configuration.readonly { try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
            try database.execute(sql: "PRAGMA cache_size = -8000")
        }
        return configuration
    }

    // MARK: Transactions

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(HistoryError) -> Value {
        try refuseIfClosed()
        do {
            return try await pool.read { try body(SQLiteConnection(database: $0)) }
        } catch {
            throw .sqlite(error, path: path)
        }
    }

    func write<Value: Sendable>(
        after photos: [PhotoWrite], _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(HistoryError) -> (value: Value, foundPhoto: Bool) {
        let outcome = try await committer.submit(WriteJob(photos: photos) { try body($0) })
        guard let value = outcome.value as? Value else { throw .unavailable("a write answered with another type") }
        return (value, outcome.foundPhoto)
    }

    /// Runs the jobs in one transaction, each in a savepoint unless it is alone: one that fails leaves the others alone.
    private static func commit(
        _ jobs: [WriteJob.Body], pool: DatabasePool, path: String
    ) -> [Result<any Sendable, HistoryError>] {
        do {
            return try pool.writeWithoutTransaction { database in
                var results: [Result<any Sendable, HistoryError>] = []
                try database.inTransaction(.immediate) {
                    if jobs.count == 1 {
                        results = [.success(try jobs[0](SQLiteConnection(database: database)))]
                        return .commit
                    }
                    results = try jobs.map { try result(of: $0, database, path: path) }
                    return .commit
                }
                return results
            }
        } catch {
            return Array(repeating: .failure(.sqlite(error, path: path)), count: jobs.count)
        }
    }

    private static func result(
        of job: WriteJob.Body, _ database: Database, path: String
    ) throws -> Result<any Sendable, HistoryError> {
        do {
            var value: (any Sendable)?
            try database.inSavepoint {
                value = try job(SQLiteConnection(database: database))
                return .commit
            }
            return value.map { .success($0) } ?? .failure(.unavailable("a write gave no answer"))
        } catch let error as DatabaseError where error.resultCode != .SQLITE_CONSTRAINT {
            // The disk or the file, not the job: nothing of this transaction can be trusted to have been written.
            throw error
        } catch {
            return .failure(.sqlite(error, path: path))
        }
    }

    // MARK: Upkeep

    func checkIntegrity() async throws(HistoryError) -> [String] {
        try refuseIfClosed()
        do {
            return try await pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }.filter { $0 != "ok" }
        } catch {
            let error = HistoryError.sqlite(error, path: path)
            if case .corruptDatabase = error { return [error.description] }
            throw error
        }
    }

    func reclaimSpace() async throws(HistoryError) {
        try refuseIfClosed()
        do {
            try await pool.writeWithoutTransaction { _ = try Row.fetchAll($0, sql: "PRAGMA incremental_vacuum(2000)") }
        } catch {
            throw .sqlite(error, path: path)
        }
    }

    func backup(to target: String) async throws(HistoryError) -> Bool {
        try refuseIfClosed()
        let copying = BlockingPool(label: "menagerie.history.backup", width: 1, maximumPending: 1)
        let partial = target + ".partial"
        try await copying.run { [pool] () throws(HistoryError) in
            do {
                try? FileManager.default.removeItem(atPath: partial)
                let copy = try DatabaseQueue(path: partial)
                // From one snapshot: writers go on meanwhile.
                try pool.backup(to: copy)
                try copy.close()
                try FileSystem.publish(partial, as: target)
            } catch {
                try? FileManager.default.removeItem(atPath: partial)
                throw .sqlite(error, path: target)
            }
        }
        return true
    }

    func close() async throws(HistoryError) {
        guard
            isClosed.withLock({ isClosed in
                defer { isClosed = true }
                return !isClosed
            })
        else { return }
        await committer.close()
        do {
            // Empties the log into the database file; a reader in another process may prevent it, which harms nothing.
            _ = try? await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            try pool.close()
        } catch {
            throw .sqlite(error, path: path)
        }
    }

    private func refuseIfClosed() throws(HistoryError) {
        if isClosed.withLock({ $0 }) { throw .closed }
    }
}
