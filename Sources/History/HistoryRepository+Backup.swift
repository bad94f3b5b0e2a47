internal import Foundation

extension HistoryRepository {
    /// Writes a complete SQLite database of the history while others go on writing. The file must not exist.
    ///
    /// A history in SQLite is copied as one snapshot. Other histories are copied scan by scan: scans saved meanwhile
    /// may be missing, and scans deleted meanwhile may be present.
    package func backup(to path: String) async throws(HistoryError) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw .invalid(field: "backup", problem: "\(path) exists already")
        }
        if try await copyDatabase(to: path) { return }
        let copy = try await SQLiteDatabase.repository(path: path, options: RepositoryOptions())
        var query = HistoryQuery(limit: HistoryQuery.limits.upperBound)
        repeat {
            let page = try await page(query)
            _ = try await copy.insert(page.items)
            query.cursor = page.nextCursor
        } while query.cursor != nil
        for favourite in try await favourites().reversed() {
            try await copy.setFavourite(favourite.articleID, true)
        }
        try await copy.close()
    }
}
