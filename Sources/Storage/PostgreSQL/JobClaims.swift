package import Base

/// Records which replica works on which job. A claim lasts for some seconds and is renewed while the work goes on. When
/// it runs out, because its replica died, the next replica that asks gets the job.
package struct JobClaims: Sendable {
    let database: any SQLDatabase
    let owner: ULID

    /// Seconds since 1970, by the clock that all replicas share.
    static let now = "CAST(extract(epoch FROM clock_timestamp()) AS BIGINT)"

    /// The condition that a claim is over. None lasts an hour; one that ends later was made before the server's clock
    /// was set back.
    static func isOver(_ end: String) -> String { "\(end) NOT BETWEEN \(now) AND \(now) + 3600" }

    /// Claims a job, or renews the claim. Returns false if another process holds it.
    package func claim(_ job: ULID, for seconds: Int) async throws(HistoryError) -> Bool {
        try await database.execute(
            """
            INSERT INTO job_claims (job, owner, held_until) VALUES (?, ?, \(Self.now) + ?) \
            ON CONFLICT (job) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until \
            WHERE job_claims.owner = excluded.owner OR \(Self.isOver("job_claims.held_until"))
            """, [.text(job.description), .text(owner.description), .integer(Int64(seconds))]) > 0
    }

    package func release(_ job: ULID) async throws(HistoryError) {
        try await database.execute(
            "DELETE FROM job_claims WHERE job = ? AND owner = ?", [.text(job.description), .text(owner.description)])
    }
}
