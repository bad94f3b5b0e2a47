import Base
import History
import Recognition

/// Thumbnails, made from the stored photo when somebody looks at them and kept for a while.
///
/// Most scans are never looked at again: making each thumbnail while the scan is saved would cost a third of the
/// classification itself.
final class ThumbnailCache: Sendable {
    private struct State {
        var entries: [ContentDigest: [UInt8]] = [:]
        /// Oldest first.
        var order: [ContentDigest] = []
        var bytes = 0
    }

    private let capacity: Int
    private let recogniser: Recogniser
    private let state = Locked(State())

    /// - Parameter capacity: of all thumbnails together, in bytes.
    init(recogniser: Recogniser, capacity: Int = 8 << 20) {
        self.recogniser = recogniser
        self.capacity = capacity
    }

    /// The thumbnail of a stored photo.
    /// - Parameter load: reads the photo, where the thumbnail is not at hand.
    func thumbnail(of digest: ContentDigest, load: () async throws -> [UInt8]) async throws -> [UInt8] {
        if let known = state.withLock({ $0.entries[digest] }) { return known }
        let thumbnail = try await recogniser.thumbnail(of: load())
        state.withLock { state in
            guard state.entries.updateValue(thumbnail, forKey: digest) == nil else { return }
            state.order.append(digest)
            state.bytes += thumbnail.count
            while state.bytes > capacity, let oldest = state.order.first {
                state.order.removeFirst()
                state.bytes -= state.entries.removeValue(forKey: oldest)?.count ?? 0
            }
        }
        return thumbnail
    }
}
