internal import Base
internal import Foundation
internal import GRDB

/// One SQLite file in WAL mode.
///
/// A commit flushes the log (`synchronous = FULL`) before it returns and survives a loss of power. A commit whose rows
/// are all in the journal, with the photos, does not flush (`NORMAL`). It survives a crash of the process, and after a
/// loss of power its rows are restored from the journal. The table `journal_positions` records how much of the journal
/// the database has, so that rows deleted since are not restored. Concurrent writes share a transaction and its flush.
final class SQLiteDatabase: SQLDatabase {
    private let pool: DatabasePool
    private let path: String
    private let reserve: DiskReserve
    private let committer: WriteCommitter
    private let isClosed = Locked(false)

    /// Opens the file and migrates it. The file is created if absent.
    /// - Parameters:
    ///   - photos: stores the photos of a save. Nil if only rows are written.
    ///   - reserve: frees space for deletions on a full disk.
    static func repository(
        path: String, photos: PhotoBatch? = nil, reserve: DiskReserve = DiskReserve(in: nil), options: RepositoryOptions
    ) async throws(HistoryError) -> HistoryRepository {
        let opening = BlockingPool(label: "menagerie.history.opening", width: 1, maximumPending: 1)
        let database = try await opening.run { () throws(HistoryError) in
            try SQLiteDatabase(path: path, photos: photos, reserve: reserve, options: options)
        }
        return HistoryRepository(database: database, options: options)
    }

    private init(
        path: String, photos: PhotoBatch?, reserve: DiskReserve, options: RepositoryOptions
    ) throws(HistoryError) {
        let leftovers = photos?.takeLeftovers() ?? []
        let pool = try reserve.backing { () throws(HistoryError) in
            let pool = try Self.open(path, options)
            do {
                if let photos { try Self.takeOver(leftovers, from: photos, pool: pool) }
            } catch {
                throw .sqlite(error, path: path)
            }
            return pool
        }
        self.pool = pool
        self.path = path
        self.reserve = reserve
        // The journal drops its rows after a flush of the photos' file system, so the database must be on the same one.
        let keepsRows = photos.map { FileSystem.device(of: $0.directory) == FileSystem.device(of: path) } ?? false
        let file = FileSystem.inode(of: path)
        committer = WriteCommitter(label: "menagerie.history.sqlite", options) { [pool] jobs in
            // SQLite goes on writing to a file that was removed, and nobody would ever read that.
            guard FileSystem.inode(of: path) == file else {
                let error = HistoryError.unavailable(
                    "\(path) was removed, moved or replaced; put it back, or start the service again")
                return Array(repeating: .failure(error), count: jobs.count)
            }
            let outcomes = WriteJob.run(jobs, photos: photos, keepsRows: keepsRows) {
                Self.commit($0, pool: pool, path: path)
            }
            return Self.freeing(jobs, outcomes, reserve, pool: pool, path: path)
        }
    }

    private static func open(_ path: String, _ options: RepositoryOptions) throws(HistoryError) -> DatabasePool {
        try FileProtection.createDatabase(path)
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
            // The name of a new file must survive a loss of power, as its contents do.
            try onDisk(FileSystem.synchronizeDirectory(URL(fileURLWithPath: path).deletingLastPathComponent().path))
            return pool
        } catch {
            throw .sqlite(error, path: path)
        }
    }

    /// Inserts the rows that earlier processes left in the journal and that the database lacks.
    private static func takeOver(_ leftovers: [Journal.Leftover], from photos: PhotoBatch, pool: DatabasePool) throws {
        for leftover in leftovers {
            try pool.write { database in
                let position = try Row.fetchOne(
                    database, sql: "SELECT generation, position FROM journal_positions WHERE file = ?",
                    arguments: [leftover.name])
                let (generation, offset): (Int64, Int64) = position.map { ($0[0], $0[1]) } ?? (0, 0)
                let connection = SQLiteConnection(database: database)
                for row in leftover.rows where row.position.isAfter(generation: generation, offset: offset) {
                    try connection.execute(ScanRecord.insertion, ScanRecord.inserting(journalled: row.values))
                }
            }
            leftover.remove()
        }
        let names = Journal.names(in: photos.directory)
        try pool.write { database in
            for file in try String.fetchAll(database, sql: "SELECT file FROM journal_positions")
            where !names.contains(file) {
                try database.execute(sql: "DELETE FROM journal_positions WHERE file = ?", arguments: [file])
            }
        }
    }

    private static func configuration(_ options: RepositoryOptions) -> Configuration {
        var configuration = Configuration()
        configuration.label = "menagerie.history"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(options.patience)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // Works only on a new file. It lets `reclaimSpace` shrink the file without rewriting it.
            if !database.configuration.readonly { try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
            try database.execute(sql: "PRAGMA cache_size = -8000")
            // SQLite saves pages before a statement or savepoint changes them. With the default, each commit writes
            // these to a new file: a third of all writes.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }

    // MARK: Transactions

    func read<Value: Sendable>(_ body: @escaping SQLTransaction<Value>) async throws(HistoryError) -> Value {
        try refuseIfClosed()
        do {
            return try await pool.read { try body(SQLiteConnection(database: $0)) }
        } catch {
            throw .sqlite(error, path: path)
        }
    }

    func submit(_ job: WriteJob) async throws(HistoryError) -> WriteJob.Outcome { try await committer.submit(job) }

    /// Runs the jobs in one transaction. A failed job leaves the others alone.
    static func commit(
        _ transaction: WriteJob.Transaction, pool: DatabasePool, path: String
    ) -> [Result<any Sendable, HistoryError>] {
        let jobs = transaction.jobs
        do {
            return try pool.writeWithoutTransaction { database in
                var results: [Result<any Sendable, HistoryError>] = []
                try database.execute(sql: "PRAGMA synchronous = \(transaction.needsFlush ? "FULL" : "NORMAL")")
                try database.inTransaction(.immediate) {
                    if let position = transaction.rows { try note(position, database) }
                    if jobs.count == 1 {
                        results = [.success(try jobs[0].body(SQLiteConnection(database: database)))]
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

    private static func note(_ position: JournalPosition, _ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO journal_positions (file, generation, position) VALUES (?, ?, ?)
                ON CONFLICT (file) DO UPDATE SET generation = excluded.generation, position = excluded.position
                """)
        try statement.execute(arguments: [position.file, position.generation, position.offset])
    }

    private static func result(
        of job: WriteJob, _ database: Database, path: String
    ) throws -> Result<any Sendable, HistoryError> {
        let connection = SQLiteConnection(database: database)
        do {
            // A single insertion is atomic by itself. Any other job needs a savepoint.
            if job.row != nil { return .success(try job.body(connection)) }
            var value: (any Sendable)?
            try database.inSavepoint {
                value = try job.body(connection)
                return .commit
            }
            return value.map { .success($0) } ?? .failure(.unavailable("a write gave no answer"))
        } catch let error as DatabaseError where error.resultCode != .SQLITE_CONSTRAINT {
            // The disk or the file failed, not the job. Nothing of this transaction can be trusted.
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
        let filling = BlockingPool(label: "menagerie.history.reserve", width: 1, maximumPending: 1)
        try await filling.run { [reserve, pool, path] () throws(HistoryError) in
            try Self.vacuum(pool, reserve, path: path)
            reserve.fill()
        }
    }

    func copy(to target: String) async throws(HistoryError) -> Bool {
        try refuseIfClosed()
        let copying = BlockingPool(label: "menagerie.history.backup", width: 1, maximumPending: 1)
        let partial = target + ".partial"
        try await copying.run { [pool] () throws(HistoryError) in
            do {
                try? FileManager.default.removeItem(atPath: partial)
                try FileProtection.createDatabase(partial)
                let copy = try DatabaseQueue(path: partial)
                // The copy is one snapshot. Writers go on meanwhile.
                try pool.backup(to: copy)
                try copy.close()
                try onDisk(FileSystem.publish(partial, as: target))
            } catch {
                try? FileManager.default.removeItem(atPath: partial)
                throw .sqlite(error, path: target)
            }
        }
        return true
    }

    func close() async throws(HistoryError) {
        if isClosed.withLock({ exchange(&$0, with: true) }) { return }
        await committer.close()
        do {
            // Empties the log into the database file. A reader in another process may prevent it, which does no harm.
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
