extension WriteJob {
    /// Jobs to be committed in one transaction.
    struct Transaction: Sendable {
        var jobs: [WriteJob]
        /// The end of this transaction's rows in the journal, which the transaction records. Nil if the rows are not in
        /// the journal.
        var rows: JournalPosition?
        /// Whether the commit itself must be flushed, because the journal does not hold all of it.
        var needsFlush: Bool
    }

    /// Stores the photos of all jobs and then commits the jobs whose photos are stored. Returns their results in order.
    /// Blocks.
    /// - Parameter keepsRows: whether the database restores rows from the journal after a crash.
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
            // All jobs failed, so a crash must not bring their rows back.
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
