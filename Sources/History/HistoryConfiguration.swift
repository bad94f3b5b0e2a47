/// Where and how the history is kept.
package struct HistoryConfiguration: Sendable {
    /// What keeps the rows.
    package enum Backend: Sendable {
        /// `history.sqlite` in the directory.
        case sqlite
        /// A server that several replicas share, by connection string or URI (`postgresql://user@host/database`). It
        /// keeps the photos, too; the directory holds what is the replica's own, such as videos.
        case postgreSQL(connectionString: String)
        /// For tests: scans are gone with the process, photos stay in the directory.
        case memory
    }

    package var backend: Backend
    /// Holds `history.sqlite` and `photos/`; made if absent, readable by its owner only.
    package var directory: String
    package var retention: RetentionPolicy
    package var options: RepositoryOptions
    /// Largest photo to be stored, in bytes.
    package var maximumPhotoBytes: Int
    /// Whether there has to be a history already, rather than that one is made; see `HistoryStore.open`.
    package var mustExist: Bool
    /// How long an unnamed photo file is left alone, in seconds: longer than any save takes.
    package var orphanAge: Int

    package init(
        backend: Backend = .sqlite, directory: String, retention: RetentionPolicy = RetentionPolicy(),
        options: RepositoryOptions = RepositoryOptions(),
        maximumPhotoBytes: Int = PhotoStore.defaultMaximumBytes, orphanAge: Int = 3_600, mustExist: Bool = false
    ) {
        self.backend = backend
        self.directory = directory
        self.retention = retention
        self.options = options
        self.maximumPhotoBytes = maximumPhotoBytes
        self.orphanAge = orphanAge
        self.mustExist = mustExist
    }
}
