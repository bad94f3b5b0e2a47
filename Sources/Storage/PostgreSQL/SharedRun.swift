internal import Base
internal import Foundation

/// Photos that several machines classify together. A PostgreSQL database holds the photos, the machines' claims on
/// them, and their answers. Each photo has one answer, however many machines come and go.
package struct SharedRun: Sendable {
    package struct Answer: Hashable, Sendable, Codable {
        package let photo: String
        /// A JSON object.
        package let answer: String
        /// Whether the answer is the reason for a failure.
        package let failed: Bool

        package init(photo: String, answer: String, failed: Bool) {
            (self.photo, self.answer, self.failed) = (photo, answer, failed)
        }
    }

    /// The numbers of photos of a run, by state.
    package struct Counts: Hashable, Sendable {
        package var photos: Int
        package var answered: Int
        package var failed: Int
    }

    /// The number of rows that one statement adds.
    private static let batch = 1_000

    let database: any SQLDatabase
    let name: String

    /// Connects and creates missing tables.
    package static func open(_ name: String, connectionString: String) async throws(HistoryError) -> SharedRun {
        // A commit for each photo would cost more than waiting for further photos saves.
        let repository = try await PostgreSQLDatabase.repository(
            connectionString: connectionString, readers: 1, options: RepositoryOptions(patience: 60))
        return SharedRun(database: repository.database, name: name)
    }

    package func close() async throws(HistoryError) { try await database.close() }

    /// Adds photos. Existing ones stay as they are.
    package func add(_ photos: [String]) async throws {
        var rest = photos[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.batch))
            rest = rest.dropFirst(Self.batch)
            // The order is fixed, so that machines do not deadlock.
            let json = String(decoding: try JSONEncoder().encode(part.sorted()), as: UTF8.self)
            try await database.execute(
                """
                INSERT INTO run_photos (run, photo) \
                SELECT CAST(? AS TEXT), value FROM json_array_elements_text(CAST(? AS json)) ON CONFLICT DO NOTHING
                """, [.text(name), .text(json)])
        }
    }

    /// Claims photos that have no answer and no claim of another machine. Claims run out by themselves.
    ///
    /// - Parameter seconds: the duration of the claims. After it, any machine may claim the photos.
    package func claim(_ count: Int, for seconds: Int) async throws(HistoryError) -> [String] {
        try await database.write { [name] connection in
            try connection.rows(
                """
                UPDATE run_photos SET held_until = \(JobClaims.now) + ? WHERE run = ? AND photo IN (\
                SELECT photo FROM run_photos WHERE run = ? AND answer IS NULL AND \(JobClaims.isOver("held_until")) \
                ORDER BY photo LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING photo
                """, [.integer(Int64(seconds)), .text(name), .text(name), .integer(Int64(count))]
            ).compactMap { $0[0].text }
        }
    }

    /// Stores answers. An earlier answer of another machine stays.
    ///
    /// - Returns: the number of answers stored.
    package func keep(_ answers: [Answer]) async throws -> Int {
        let json = String(decoding: try JSONEncoder().encode(answers), as: UTF8.self)
        return try await database.execute(
            """
            UPDATE run_photos SET answer = given.answer, failed = CAST(given.failed AS INTEGER) \
            FROM json_to_recordset(CAST(? AS json)) AS given (photo TEXT, answer TEXT, failed BOOLEAN) \
            WHERE run = ? AND run_photos.photo = given.photo AND run_photos.answer IS NULL
            """, [.text(json), .text(name)])
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
            let row = try await database.rows(
                "SELECT COUNT(*), COUNT(answer), COALESCE(CAST(SUM(failed) AS BIGINT), 0) FROM run_photos WHERE run = ?",
                [.text(name)]
            ).first?.map { Int($0.integer ?? 0) }
            return Counts(photos: row?[0] ?? 0, answered: row?[1] ?? 0, failed: row?[2] ?? 0)
        }
    }

    /// The next answers, in the order of their photos.
    ///
    /// - Parameter photo: the last photo of the previous call. An empty text begins with the first photo.
    package func answers(after photo: String) async throws(HistoryError) -> [Answer] {
        try await database.rows(
            """
            SELECT photo, answer, failed FROM run_photos WHERE run = ? AND photo > ? AND answer IS NOT NULL \
            ORDER BY photo LIMIT \(Self.batch)
            """, [.text(name), .text(photo)]
        ).compactMap { row in
            guard let photo = row[0].text, let answer = row[1].text else { return nil }
            return Answer(photo: photo, answer: answer, failed: row[2].integer == 1)
        }
    }

    /// Marks failed photos to be tried again.
    package func reopenFailed() async throws(HistoryError) {
        try await database.execute(
            "UPDATE run_photos SET answer = NULL, failed = 0, held_until = 0 WHERE run = ? AND failed = 1",
            [.text(name)])
    }

    package func remove() async throws(HistoryError) {
        try await database.execute("DELETE FROM run_photos WHERE run = ?", [.text(name)])
    }
}
