internal import Base

/// A write to a database, and the photos that must be on the disk before it.
///
/// Both are in one job, so that a save changes threads only once. A request takes a few milliseconds in all, so a
/// second change of threads would be noticeable.
struct WriteJob: Sendable {
    var photos: [PhotoFile]
    /// The row that the body inserts, if it does nothing else. The journal can then take it with the photos.
    var row: [SQLValue]?
    /// Whether the job deletes. It must then succeed on a full disk.
    var freesSpace = false
    var body: SQLTransaction<any Sendable>

    struct Outcome: Sendable {
        var value: any Sendable
        /// Whether one of the photos existed before.
        var foundPhoto: Bool
    }
}

/// Gathers the writes of a database.
typealias WriteCommitter = GroupCommitter<WriteJob, WriteJob.Outcome, HistoryError>

extension WriteCommitter {
    convenience init(label: String, _ options: RepositoryOptions, commit: @escaping Commit) {
        self.init(
            label: label, maximumBatch: 64, maximumPending: options.maximumPending, pace: .milliseconds(8),
            refusal: HistoryError.init, commit: commit)
    }
}
