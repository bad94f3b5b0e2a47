import Base
import HTTP

/// The events of jobs, by job. Those of a job that is over stay for whoever comes late, until many more are over.
final class JobChannels: Sendable {
    private struct Entry {
        let id: ULID
        let channel: EventChannel
        var isFinished = false
    }

    /// Channels of jobs that are over.
    private static let maximumFinished = 64

    private let capacity: Int
    private let entries = Locked<[Entry]>([])

    /// - Parameter capacity: events that are kept of each job.
    init(capacity: Int = 256) {
        self.capacity = capacity
    }

    /// nil where nobody asked yet, nothing was published yet, or the job ended long ago.
    func existing(_ id: ULID) -> EventChannel? {
        entries.withLock { $0.first { $0.id == id }?.channel }
    }

    /// The channel of a job, which is made where there is none.
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

    /// Notes that a job is over.
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

    /// Forgets a job.
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
