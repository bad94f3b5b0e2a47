import Base

extension HistoryRepository {
    /// The problems of the stored data, in words. Empty if there are none.
    package func checkIntegrity() async throws(HistoryError) -> [String] {
        let below = try await database.checkIntegrity()
        let above = try await database.read { connection in
            let rows = try connection.integer("SELECT COUNT(*) FROM scans WHERE deletion IS NULL", [])
            let total = try connection.integer("SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM scan_totals", [])
            return rows == total ? [] : ["the running totals say \(counted(total, "scan")), there are \(rows)"]
        }
        return below + above
    }

    /// The size of the history, from running totals. The cost does not grow with the history.
    package func usage() async throws(HistoryError) -> HistoryUsage {
        try await database.read { connection in
            let total = { (column: String) in
                try connection.integer("SELECT CAST(COALESCE(SUM(\(column)), 0) AS BIGINT) FROM scan_totals", [])
            }
            return HistoryUsage(
                scans: try total("count"), photoBytes: try total("bytes"),
                databaseBytes: try connection.integer(connection.sizeQuery, []))
        }
    }

    /// Sends a text to every listener at the same database. A database with only one process has no listeners.
    package func notify(_ text: String) async throws(HistoryError) {
        try await database.write { try $0.notify(text) }
    }

    /// Waits for writes under way, checkpoints and closes. Later calls throw `closed`.
    package func close() async throws(HistoryError) { try await database.close() }
}
