import Base
import HTTP

/// Videos that other replicas work on, and whose events somebody wants here.
final class FollowedVideos: Sendable {
    private let videos = Locked<[ULID: (channel: EventChannel, task: Task<Void, Never>)]>([:])

    /// The events of a video.
    /// - Parameter body: publishes them, and returns after the last one, where nobody has asked for them before.
    func channel(_ id: ULID, _ body: @escaping @Sendable (EventChannel) async -> Void) -> EventChannel {
        videos.withLock { [self] followed in
            if let known = followed[id]?.channel { return known }
            let channel = EventChannel()
            let task = Task {
                await body(channel)
                channel.finish()
                videos.withLock { $0[id] = nil }
            }
            followed[id] = (channel, task)
            return channel
        }
    }

    func stop() {
        for task in videos.withLock({ $0.values.map(\.task) }) { task.cancel() }
    }
}
