internal import GRDB

extension SQLiteDatabase {
    /// Repeats deletions that failed on a full disk, with the reserve's space free.
    ///
    /// The log is emptied into the database before, so that it can be overwritten, and after, so that it takes no
    /// space.
    static func freeing(
        _ jobs: [WriteJob], _ outcomes: [Result<WriteJob.Outcome, HistoryError>], _ reserve: DiskReserve,
        pool: DatabasePool, path: String
    ) -> [Result<WriteJob.Outcome, HistoryError>] {
        let places = jobs.indices.filter { jobs[$0].freesSpace && outcomes[$0].isDiskFull }
        guard !places.isEmpty else { return outcomes }
        let transaction = WriteJob.Transaction(jobs: places.map { jobs[$0] }, needsFlush: true)
        let results = try? reserve.backing { () throws(HistoryError) in
            emptyLog(pool)
            let results = commit(transaction, pool: pool, path: path)
            if let full = results.first(where: \.isDiskFull) { _ = try full.get() }
            emptyLog(pool)
            return results
        }
        guard let results else { return outcomes }
        var all = outcomes
        for (place, result) in zip(places, results) {
            all[place] = result.map { WriteJob.Outcome(value: $0, foundPhoto: false) }
        }
        return all
    }

    /// Shrinks the database file by up to 2,000 free pages. On a full disk the log takes the reserve's space meanwhile.
    static func vacuum(_ pool: DatabasePool, _ reserve: DiskReserve, path: String) throws(HistoryError) {
        try reserve.backing { () throws(HistoryError) in
            do {
                try pool.writeWithoutTransaction { _ = try Row.fetchAll($0, sql: "PRAGMA incremental_vacuum(2000)") }
            } catch {
                throw .sqlite(error, path: path)
            }
            emptyLog(pool)
        }
    }

    /// Writes the log into the database file. If a reader or the disk prevents that, the next call does it.
    private static func emptyLog(_ pool: DatabasePool) {
        _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }
}

extension Result where Failure == HistoryError {
    fileprivate var isDiskFull: Bool {
        if case .failure(.diskFull) = self { true } else { false }
    }
}
