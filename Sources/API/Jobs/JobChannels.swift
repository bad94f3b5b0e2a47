import Base
import HTTP

/// The event channels of jobs. The events of a finished job stay for late clients, until many other jobs have finished.
final class JobChannels: Sendable {
    private struct Entry {
        let id: ULID
        let channel: EventChannel
        var isFinished = false
    }

    /// The number of channels of finished jobs that are kept.
    private static let maximumFinished = 64

    private let capacity: Int
    private let entries = Locked<[Entry]>([])

    /// - Parameter capacity: the number of events that are kept for each job.
    init(capacity: Int = 256) {
        self.capacity = capacity
    }

    /// The channel of a job; nil before the first event or subscriber, and if the job ended long ago.
    func existing(_ id: ULID) -> EventChannel? {
        entries.withLock { $0.first { $0.id == id }?.channel }
    }

    /// The channel of a job. It is made if there is none.
    func channel(_ id: ULID) -> EventChannel {
        entries.withLock { entries in
            if let known = entries.first(where: { $0.id == id }) { return known.channel }
            let channel = EventChannel(capacity: capacity)
            entries.append(Entry(id: id, channel: channel))
            return channel
        }
    }

    func publish(_ value: some Encodable, _ event: String, of id: ULID) {
        channel(id).publish(value, event)
    }

    /// Ends the events of a finished job.
    func finish(_ id: ULID) {
        let channel = entries.withLock { entries -> EventChannel? in
            guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
            entries[index].isFinished = true
            let channel = entries[index].channel
            if entries.count(where: \.isFinished) > Self.maximumFinished,
                let oldest = entries.firstIndex(where: \.isFinished)
            {
                entries.remove(at: oldest)
            }
            return channel
        }
        channel?.finish()
    }

    func remove(_ id: ULID) {
        finish(id)
        entries.withLock { $0.removeAll { $0.id == id } }
    }

    func finishAll() {
        for entry in entries.withLock({ $0 }) { entry.channel.finish() }
    }
}

extension EventChannel {
    func publish(_ value: some Encodable, _ event: String) {
        guard let bytes = try? JSON.encode(value) else { return }
        publish(String(decoding: bytes, as: UTF8.self), event: event)
    }
}
