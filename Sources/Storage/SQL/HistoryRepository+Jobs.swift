package import Base

extension HistoryRepository {
    /// Adds a job, or replaces the state and document of an existing one.
    package func saveJob(_ job: JobRow) async throws(HistoryError) {
        try await database.execute(
            """
            INSERT INTO jobs (id, kind, state, document) VALUES (?, ?, ?, ?) \
            ON CONFLICT (id) DO UPDATE SET state = excluded.state, document = excluded.document
            """, [.text(job.id.description), .text(job.kind), .text(job.state), .text(job.document)])
    }

    /// Replaces the state and document of a job. Returns false and changes nothing if the job is gone (another replica
    /// may have removed it) or if its state is one of those given.
    package func updateJob(_ job: JobRow, unless states: [String]) async throws(HistoryError) -> Bool {
        try await database.execute(
            "UPDATE jobs SET state = ?, document = ? WHERE kind = ? AND id = ?"
                + String(repeating: " AND state <> ?", count: states.count),
            [.text(job.state), .text(job.document), .text(job.kind), .text(job.id.description)]
                + states.map { .text($0) }) > 0
    }

    /// The job, or nil if it does not exist.
    package func job(_ kind: String, id: ULID) async throws(HistoryError) -> JobRow? {
        try await database.rows(
            "SELECT id, kind, state, document FROM jobs WHERE kind = ? AND id = ?",
            [.text(kind), .text(id.description)]
        ).first.flatMap(Self.job)
    }

    /// - Parameters:
    ///   - limit: at least 1.
    ///   - older: lists jobs older than this one. Nil begins with the newest.
    package func jobs(_ kind: String, limit: Int, older: ULID?) async throws(HistoryError) -> JobPage {
        let limit = max(1, limit)
        return try await database.read { connection in
            let rows = try connection.rows(
                """
                SELECT id, kind, state, document FROM jobs WHERE kind = ? AND id < ? ORDER BY id DESC LIMIT ?
                """, [.text(kind), .text(older?.description ?? "~"), .integer(Int64(limit) + 1)])
            return JobPage(
                items: rows.prefix(limit).compactMap(Self.job),
                total: try connection.integer("SELECT COUNT(*) FROM jobs WHERE kind = ?", [.text(kind)]),
                hasMore: rows.count > limit)
        }
    }

    /// Every job of a kind, newest first.
    package func allJobs(_ kind: String) async throws(HistoryError) -> [JobRow] {
        var jobs: [JobRow] = []
        while true {
            let page = try await self.jobs(kind, limit: 100, older: jobs.last?.id)
            jobs += page.items
            if !page.hasMore { return jobs }
        }
    }

    /// Removes a job. Returns false if there was none.
    package func removeJob(_ kind: String, id: ULID) async throws(HistoryError) -> Bool {
        try await database.free { connection in
            try connection.execute(
                "DELETE FROM jobs WHERE kind = ? AND id = ?", [.text(kind), .text(id.description)]) > 0
        }
    }

    private static func job(_ row: [SQLValue]) -> JobRow? {
        guard let id = row[0].text.flatMap({ ULID($0) }), let kind = row[1].text, let state = row[2].text,
            let document = row[3].text
        else { return nil }
        return JobRow(id: id, kind: kind, state: state, document: document)
    }
}
