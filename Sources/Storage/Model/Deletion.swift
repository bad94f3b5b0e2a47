package import Base

package struct Deletion: Hashable, Sendable {
    /// The id that `undo` takes.
    package var id: ULID
    /// The number of scans that it deleted.
    package var count = 0
}

package struct Removal: Hashable, Sendable {
    package var count = 0
    /// The photos that the scans named. Other scans may name them too.
    package var digests: Set<ContentDigest> = []
}

/// The result of removing scans for good.
package struct PurgeSummary: Hashable, Sendable {
    /// The number of deleted scans whose grace time was over.
    package var expired = 0
    /// The number of scans beyond the retention limits.
    package var retired = 0
    /// The number of photos that no scan named.
    package var orphans = 0
    /// The bytes of those files.
    package var freedBytes = 0
}
