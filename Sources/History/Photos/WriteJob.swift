/// A write to a database, and the photos that have to be on the disk before it.
///
/// Both in one job, so that a save is handed from thread to thread once: at a few milliseconds of work for a whole
/// request, every further handing over would be felt.
struct WriteJob: Sendable {
    typealias Body = @Sendable (any SQLConnection) throws -> any Sendable

    var photos: [PhotoWrite]
    /// The row that the body inserts, if that is all it does: it can then be made durable together with the photos.
    var row: [SQLValue]?
    /// Whether it deletes, so that it has to succeed where the disk is full.
    var freesSpace = false
    var body: Body

    /// What became of a job.
    struct Outcome: Sendable {
        var value: any Sendable
        /// Whether one of the photos had been there before.
        var foundPhoto: Bool
    }

    /// Jobs to be committed in one transaction.
    struct Transaction: Sendable {
        var jobs: [WriteJob]
        /// Where in the journal the rows end that this transaction inserts, which it has to note; nil where none are
        /// there.
        var rows: JournalPosition?
        /// Whether the commit itself must be flushed, because the journal does not hold all of it.
        var needsFlush: Bool
    }

    /// Stores the photos of all jobs and then commits those whose photos are stored. Answers each job, in order. Blocks.
    /// - Parameter keepsRows: whether the database takes rows over from the journal after a crash.
    static func run(
        _ jobs: [WriteJob], photos: PhotoBatch?, keepsRows: Bool = false,
        commit: (Transaction) -> [Result<any Sendable, HistoryError>]
    ) -> [Result<Outcome, HistoryError>] {
        guard jobs.contains(where: { !$0.photos.isEmpty }) else {
            return commit(Transaction(jobs: jobs, needsFlush: true)).map {
                $0.map { Outcome(value: $0, foundPhoto: false) }
            }
        }
        guard let photos else {
            return jobs.map { _ in .failure(.unavailable("this store was opened without a place for photos")) }
        }
        return photos.inTurn {
            let stored = photos.store(jobs.map(\.photos), rows: keepsRows ? jobs.compactMap(\.row) : [])
            let ready = zip(jobs, stored.results).filter { $1.isSuccess }.map { $0.0 }
            let results = commit(
                Transaction(
                    jobs: ready, rows: stored.rows,
                    needsFlush: stored.rows == nil || ready.contains { $0.row == nil }))
            // Nobody was told that they were saved, so nothing may bring them back.
            if stored.rows != nil, !results.contains(where: \.isSuccess) { photos.journal.retractRows() }
            var committed = results[...]
            return stored.results.map { stored in
                stored.flatMap { foundPhoto in
                    let value = committed.popFirst() ?? .failure(.unavailable("a commit left a write unanswered"))
                    return value.map { Outcome(value: $0, foundPhoto: foundPhoto) }
                }
            }
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
