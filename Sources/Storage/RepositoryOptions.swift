package import Base
package import Foundation

package struct SavedScan: Sendable {
    /// The scan as the history holds it. If the key was used before, this is the scan saved then.
    package var scan: Scan
    /// Earlier scans of exactly the same photo, newest first, at most 100. Empty if this scan had been saved before.
    package var seenBefore: [ULID] = []
    /// Whether one of the files existed before.
    var foundPhoto = false
}

/// The size of a history. Deleted scans are left out.
package struct HistoryUsage: Hashable, Sendable {
    package var scans: Int
    /// Bytes of photos, as the scans state them. A photo scanned twice counts twice.
    package var photoBytes: Int
    /// Bytes of the database without the photos. 0 if there is no database.
    package var databaseBytes: Int
}

/// The limits on the age and the size of a history.
package struct RetentionPolicy: Hashable, Sendable {
    /// Seconds. Nil keeps scans for ever.
    package var maximumAge: TimeInterval?
    /// Bytes of photos, as the scans state them. A photo scanned twice counts twice. Nil means no limit.
    package var maximumBytes: Int?

    package init(maximumAge: TimeInterval? = nil, maximumBytes: Int? = nil) {
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
    }
}

/// Options that every store takes.
package struct RepositoryOptions: Sendable {
    /// The time in which a deletion can be undone, in seconds.
    package var undoGrace: TimeInterval
    /// The longest wait for another process's lock, or for a server that is down, in seconds.
    package var patience: TimeInterval
    /// The number of writes that may wait before `overloaded` is thrown.
    package var maximumPending: Int
    /// The clock. Tests replace it.
    package var now: @Sendable () -> Date

    package init(
        undoGrace: TimeInterval = 600, patience: TimeInterval = 5, maximumPending: Int = 1_024,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.undoGrace = undoGrace
        self.patience = patience
        self.maximumPending = maximumPending
        self.now = now
    }
}
