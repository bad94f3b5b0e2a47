internal import Base
internal import Foundation

/// Photos that several machines classify together: a PostgreSQL database knows which there are, which of them a machine has
/// claimed, and their answers. Each photo has one answer, however many machines come and go.
package struct SharedRun: Sendable {
    /// What was said of a photo.
    package struct Answer: Hashable, Sendable, Codable {
        package let photo: String
        /// A JSON object.
        package let answer: String
        /// Whether it says why there is no answer.
        package let failed: Bool

        package init(photo: String, answer: String, failed: Bool) {
            (self.photo, self.answer, self.failed) = (photo, answer, failed)
        }
    }

    /// Photos of a run by what became of them.
    package struct Counts: Hashable, Sendable {
        package var photos: Int
        package var answered: Int
        package var failed: Int
    }

    /// Rows that one statement adds.
    private static let batch = 1_000
    /// Seconds since 1970, by the clock that all machines share.
    private static let now = "CAST(extract(epoch FROM clock_timestamp()) AS BIGINT)"

    let database: any SQLDatabase
    let name: String

    /// Connects, and makes the tables where they are not there.
    package static func open(_ name: String, connectionString: String) async throws(HistoryError) -> SharedRun {
        // A commit of its own costs a photo more than waiting for one more would save.
        let repository = try await PostgreSQLDatabase.repository(
            connectionString: connectionString, readers: 1, options: RepositoryOptions(patience: 60))
        return SharedRun(database: repository.database, name: name)
    }

    package func close() async throws(HistoryError) { try await database.close() }

    /// Adds photos; those that are there already stay as they are.
    package func add(_ photos: [String]) async throws {
        var rest = photos[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.batch))
            rest = rest.dropFirst(Self.batch)
            // In order, so that machines do not wait for one another in a circle.
            let json = String(decoding: try JSONEncoder().encode(part.sorted()), as: UTF8.self)
            _ = try await database.write { [name] connection in
                try connection.execute(
                    """
                    INSERT INTO run_photos (run, photo) \
                    SELECT CAST(? AS TEXT), value FROM json_array_elements_text(CAST(? AS json)) ON CONFLICT DO NOTHING
                    """, [.text(name), .text(json)])
            }
        }
    }

    /// Claims photos that have no answer and that no other machine has claimed; their claims run out by themselves.
    ///
    /// - Parameter seconds: how long they hold. A photo that is not answered by then is anybody's.
    package func claim(_ count: Int, for seconds: Int) async throws(HistoryError) -> [String] {
        try await database.write { [name] connection in
            try connection.rows(
                """
                UPDATE run_photos SET held_until = \(Self.now) + ? WHERE run = ? AND photo IN (\
                SELECT photo FROM run_photos WHERE run = ? AND answer IS NULL AND held_until < \(Self.now) \
                ORDER BY photo LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING photo
                """, [.integer(Int64(seconds)), .text(name), .text(name), .integer(Int64(count))]
            ).compactMap { $0[0].text }
        }
    }

    /// Keeps answers. Where another machine was quicker, its answer stays.
    ///
    /// - Returns: how many were kept.
    package func keep(_ answers: [Answer]) async throws -> Int {
        let json = String(decoding: try JSONEncoder().encode(answers), as: UTF8.self)
        return try await database.write { [name] connection in
            try connection.execute(
                """
                UPDATE run_photos SET answer = given.answer, failed = CAST(given.failed AS INTEGER) \
                FROM json_to_recordset(CAST(? AS json)) AS given (photo TEXT, answer TEXT, failed BOOLEAN) \
                WHERE run = ? AND run_photos.photo = given.photo AND run_photos.answer IS NULL
                """, [.text(json), .text(name)])
        }
    }

    /// Whether a photo has no answer yet.
    package var isOpen: Bool {
        get async throws(HistoryError) {
            try await database.read { [name] connection in
                try connection.integer(
                    "SELECT CAST(EXISTS (SELECT 1 FROM run_photos WHERE run = ? AND answer IS NULL) AS INTEGER)",
                    [.text(name)]) == 1
            }
        }
    }

    package var counts: Counts {
        get async throws(HistoryError) {
            try await database.read { [name] connection in
                let row = try connection.rows(
                    "SELECT COUNT(*), COUNT(answer), COALESCE(CAST(SUM(failed) AS BIGINT), 0) FROM run_photos WHERE run = ?",
                    [.text(name)]
                ).first?.map { Int($0.integer ?? 0) }
                return Counts(photos: row?[0] ?? 0, answered: row?[1] ?? 0, failed: row?[2] ?? 0)
            }
        }
    }

    /// The next answers in the order of their photos.
    ///
    /// - Parameter photo: the last one of those before; empty: from the first on.
    package func answers(after photo: String) async throws(HistoryError) -> [Answer] {
        try await database.read { [name] connection in
            try connection.rows(
                """
                SELECT photo, answer, failed FROM run_photos WHERE run = ? AND photo > ? AND answer IS NOT NULL \
                ORDER BY photo LIMIT \(Self.batch)
                """, [.text(name), .text(photo)]
            ).compactMap { row in
                guard let photo = row[0].text, let answer = row[1].text else { return nil }
                return Answer(photo: photo, answer: answer, failed: row[2].integer == 1)
            }
        }
    }

    /// Has the photos that failed be tried again.
    package func reopenFailed() async throws(HistoryError) {
        try await database.write { [name] connection in
            _ = try connection.execute(
                "UPDATE run_photos SET answer = NULL, failed = 0, held_until = 0 WHERE run = ? AND failed = 1",
                [.text(name)])
        }
    }

    /// Removes the run with its answers.
    package func remove() async throws(HistoryError) {
        try await database.write { [name] connection in
            _ = try connection.execute("DELETE FROM run_photos WHERE run = ?", [.text(name)])
        }
    }
}
