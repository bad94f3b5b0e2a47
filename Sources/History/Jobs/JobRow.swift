package import Base

/// A piece of long work as the store keeps it: what it is, how far it came, and everything else as a document of whoever
/// does the work.
package struct JobRow: Hashable, Sendable {
    package var id: ULID
    /// What kind of work it is, such as `video`.
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
    /// Of all jobs of the kind.
    package var total: Int
    /// Whether older ones follow.
    package var hasMore: Bool
}

/// Keeps jobs in the store that keeps the scans. When a change returns, it survives the loss of power.
package protocol JobRepository: Sendable {
    /// Adds a job, or gives one that is there another state and document.
    func saveJob(_ job: JobRow) async throws(HistoryError)
    /// Gives a job another state and document; false, and nothing is kept, where it was removed, be it by another replica, or
    /// has one of the states that are named.
    func updateJob(_ job: JobRow, unless states: [String]) async throws(HistoryError) -> Bool
    /// nil where there is none.
    func job(_ kind: String, id: ULID) async throws(HistoryError) -> JobRow?
    /// - Parameters:
    ///   - limit: at least 1.
    ///   - older: than this one; nil: from the newest on.
    func jobs(_ kind: String, limit: Int, older: ULID?) async throws(HistoryError) -> JobPage
    /// Whether there was one.
    func removeJob(_ kind: String, id: ULID) async throws(HistoryError) -> Bool
}

extension JobRepository {
    /// Gives a job another state and document; false, and nothing is kept, where it was removed.
    package func updateJob(_ job: JobRow) async throws(HistoryError) -> Bool { try await updateJob(job, unless: []) }

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
