/// A write to a database, and the photos that have to be on the disk before it.
///
/// Both in one job, so that a save is handed from thread to thread once: at a few milliseconds of work for a whole
/// request, every further handing over would be felt.
struct WriteJob: Sendable {
    typealias Body = @Sendable (any SQLConnection) throws -> any Sendable

    var photos: [PhotoWrite]
    var body: Body

    /// What became of a job.
    struct Outcome: Sendable {
        var value: any Sendable
        /// Whether one of the photos had been there before.
        var foundPhoto: Bool
    }

    /// Stores the photos of all jobs and then commits those whose photos are stored. Answers each job, in order. Blocks.
    static func run(
        _ jobs: [WriteJob], photos: PhotoBatch?, commit: ([Body]) -> [Result<any Sendable, HistoryError>]
    ) -> [Result<Outcome, HistoryError>] {
        guard jobs.contains(where: { !$0.photos.isEmpty }) else {
            return commit(jobs.map(\.body)).map { $0.map { Outcome(value: $0, foundPhoto: false) } }
        }
        guard let photos else {
            return jobs.map { _ in .failure(.unavailable("this store was opened without a place for photos")) }
        }
        let stored = photos.store(jobs.map(\.photos))
        var committed = commit(zip(jobs, stored).compactMap { $1.isSuccess ? $0.body : nil })[...]
        return stored.map { stored in
            stored.flatMap { foundPhoto in
                let value = committed.popFirst() ?? .failure(.unavailable("a commit left a write unanswered"))
                return value.map { Outcome(value: $0, foundPhoto: foundPhoto) }
            }
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
