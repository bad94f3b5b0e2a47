package import Base

/// A deletion that can still be taken back.
package struct Deletion: Hashable, Sendable {
    /// Names the deletion to `undo`.
    package var id: ULID
    /// How many scans it deleted.
    package var count: Int

    init(id: ULID, count: Int = 0) {
        self.id = id
        self.count = count
    }
}

/// Scans that were removed for good.
package struct Removal: Hashable, Sendable {
    package var count: Int
    /// The photos and thumbnails that they named; other scans may name them too.
    package var digests: Set<ContentDigest>

    init(count: Int = 0, digests: Set<ContentDigest> = []) {
        self.count = count
        self.digests = digests
    }
}

/// What was deleted for good, and what that freed.
package struct PurgeSummary: Hashable, Sendable {
    /// Deleted scans whose grace time was over.
    package var expired = 0
    /// Scans beyond the retention limits.
    package var retired = 0
    /// Photo and thumbnail files that no scan named.
    package var orphans = 0
    /// The bytes of those files.
    package var freedBytes = 0

    package init() {}
}
