import Base
internal import Foundation

extension HistoryRepository {
    /// Marks or unmarks an article. Repeating the call changes nothing.
    package func setFavourite(_ articleID: String, _ isFavourite: Bool) async throws(HistoryError) {
        try RowRules.label(articleID, "id")
        guard isFavourite else {
            try await database.execute("DELETE FROM favourites WHERE article_id = ?", [.text(articleID)])
            return
        }
        try await database.execute(
            "INSERT INTO favourites (article_id, created_at) VALUES (?, ?) ON CONFLICT (article_id) DO NOTHING",
            [.text(articleID), .integer(options.now().milliseconds)])
    }

    /// All favourites, newest first.
    package func favourites() async throws(HistoryError) -> [Favourite] {
        try await database.rows(
            "SELECT article_id, created_at FROM favourites ORDER BY created_at DESC, article_id", []
        ).map { row in
            Favourite(articleID: row[0].text ?? "", since: Date(milliseconds: row[1].integer ?? 0))
        }
    }

    /// Every label that was met, sorted by label.
    package func collection() async throws(HistoryError) -> [CollectionEntry] {
        try await database.read { connection in
            let counts = try connection.rows(
                """
                SELECT label, CAST(SUM(count) AS BIGINT) FROM scan_totals WHERE abstained = 0 AND label <> '' \
                GROUP BY label HAVING SUM(count) > 0 ORDER BY label
                """, [])
            return try counts.map { row in
                let label = row[0]
                return CollectionEntry(
                    label: label.text ?? "",
                    firstMet: try Self.time(of: label, order: "ASC", connection),
                    lastMet: try Self.time(of: label, order: "DESC", connection),
                    count: Int(row[1].integer ?? 0))
            }
        }
    }

    /// Every animal that has a name, sorted by name.
    package func namedAnimals() async throws(HistoryError) -> [NamedAnimal] {
        try await database.rows(
            """
            SELECT individual, species, COUNT(*) FROM scans WHERE deletion IS NULL AND individual IS NOT NULL \
            GROUP BY individual, species
            """, []
        ).map { row in
            NamedAnimal(name: row[0].text ?? "", species: row[1].text ?? "", count: Int(row[2].integer ?? 0))
        }.joined()
    }

    /// Takes one step down the index (label, created_at, id) instead of a walk along it.
    private static func time(of label: SQLValue, order: String, _ connection: any SQLConnection) throws -> Date {
        let milliseconds = try connection.integer(
            """
            SELECT created_at FROM scans WHERE deletion IS NULL AND label = ? AND abstained = 0 \
            ORDER BY created_at \(order), id \(order) LIMIT 1
            """, [label])
        return Date(milliseconds: Int64(milliseconds))
    }
}
