import Base

extension SQLRepository {
    func checkIntegrity() async throws(HistoryError) -> [String] {
        let below = try await database.checkIntegrity()
        let above = try await database.read { connection in
            let rows = try connection.integer("SELECT COUNT(*) FROM scans WHERE deletion IS NULL", [])
            let total = try connection.integer("SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM scan_totals", [])
            return rows == total ? [] : ["the running totals say \(counted(total, "scan")), there are \(rows)"]
        }
        return below + above
    }

    func usage() async throws(HistoryError) -> HistoryUsage {
        try await database.read { connection in
            let total = { (column: String) in
                try connection.integer("SELECT CAST(COALESCE(SUM(\(column)), 0) AS BIGINT) FROM scan_totals", [])
            }
            return HistoryUsage(
                scans: try total("count"), photoBytes: try total("bytes"),
                databaseBytes: try connection.integer(connection.sizeQuery, []))
        }
    }

    func notify(_ text: String) async throws(HistoryError) {
        try await database.write { try $0.notify(text) }
    }

    func close() async throws(HistoryError) { try await database.close() }

    func copyDatabase(to path: String) async throws(HistoryError) -> Bool {
        try await database.copy(to: path)
    }
}
