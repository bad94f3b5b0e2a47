package struct HistoryConfiguration: Sendable {
    /// The database that holds the scans.
    package enum Backend: Sendable {
        /// Keeps the rows in `history.sqlite` in the directory.
        case sqlite
        /// A server that several replicas share, by connection string or URI (`postgresql://user@host/database`). It
        /// also keeps the photos. The directory then holds only the replica's own files, such as videos.
        case postgreSQL(connectionString: String)
    }

    package var backend: Backend
    /// Holds `history.sqlite` and `photos/`. It is created if absent, readable by its owner only.
    package var directory: String
    package var retention: RetentionPolicy
    package var options: RepositoryOptions
    /// The largest photo that is stored, in bytes.
    package var maximumPhotoBytes: Int
    /// Whether opening fails if no history exists, instead of creating one; see `HistoryStore.open`.
    package var mustExist: Bool
    /// The time before a photo file that no scan names is removed, in seconds. It is longer than any save takes.
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
