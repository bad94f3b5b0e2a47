package import Base

/// A piece of long work as the store keeps it. The code that does the work decides what the document holds.
package struct JobRow: Hashable, Sendable {
    package var id: ULID
    /// The kind of work, such as `video`.
    package var kind: String
    package var state: String
    /// JSON; the store does not look into it.
    package var document: String

    package init(id: ULID, kind: String, state: String, document: String) {
        self.id = id
        self.kind = kind
        self.state = state
        self.document = document
    }
}

/// Some of the jobs of a kind, newest first.
package struct JobPage: Hashable, Sendable {
    package var items: [JobRow]
    /// The number of all jobs of the kind.
    package var total: Int
    /// Whether older jobs follow.
    package var hasMore: Bool
}

/// Keeps jobs in the store that keeps the scans. A change survives a loss of power once the call returns.
package protocol JobRepository: Sendable {
    /// Adds a job, or replaces the state and document of an existing one.
    func saveJob(_ job: JobRow) async throws(HistoryError)
    /// Replaces the state and document of a job. Returns false and changes nothing if the job is gone (another replica
    /// may have removed it) or if its state is one of those given.
    func updateJob(_ job: JobRow, unless states: [String]) async throws(HistoryError) -> Bool
    /// The job, or nil if it does not exist.
    func job(_ kind: String, id: ULID) async throws(HistoryError) -> JobRow?
    /// - Parameters:
    ///   - limit: at least 1.
    ///   - older: lists jobs older than this one. Nil begins with the newest.
    func jobs(_ kind: String, limit: Int, older: ULID?) async throws(HistoryError) -> JobPage
    /// Removes a job. Returns false if there was none.
    func removeJob(_ kind: String, id: ULID) async throws(HistoryError) -> Bool
}

extension JobRepository {
    /// Every job of a kind, newest first.
    package func allJobs(_ kind: String) async throws(HistoryError) -> [JobRow] {
        var jobs: [JobRow] = []
        while true {
            let page = try await self.jobs(kind, limit: 100, older: jobs.last?.id)
            jobs += page.items
            if !page.hasMore { return jobs }
        }
    }
}
