package import Base

/// Thumbnails, made from the stored photo on demand and kept for a while.
///
/// Most scans are never viewed again. Making each thumbnail while the scan is saved would cost a third of the
/// classification itself.
package final class ThumbnailCache: Sendable {
    private struct State {
        var entries: [ContentDigest: [UInt8]] = [:]
        /// The digests, oldest first.
        var order: [ContentDigest] = []
        var bytes = 0
    }

    /// The largest sum of all thumbnails, in bytes.
    private static let capacity = 8 << 20

    private let state = Locked(State())

    package init() {}

    /// The thumbnail of a stored photo.
    /// - Parameter make: makes the thumbnail if it is not in the cache.
    package func thumbnail(of digest: ContentDigest, make: () async throws -> [UInt8]) async throws -> [UInt8] {
        if let known = state.withLock({ $0.entries[digest] }) { return known }
        let thumbnail = try await make()
        state.withLock { state in
            guard state.entries.updateValue(thumbnail, forKey: digest) == nil else { return }
            state.order.append(digest)
            state.bytes += thumbnail.count
            while state.bytes > Self.capacity, let oldest = state.order.first {
                state.order.removeFirst()
                state.bytes -= state.entries.removeValue(forKey: oldest)?.count ?? 0
            }
        }
        return thumbnail
    }
}
