package import Base

/// The event channels of several subjects, such as jobs, by id. The events of a finished one stay for late clients,
/// until many others have finished.
package final class EventChannels: Sendable {
    private struct Entry {
        let id: ULID
        let channel: EventChannel
        var isFinished = false
    }

    /// The number of finished channels that are kept.
    private static let maximumFinished = 64

    private let capacity: Int
    private let entries = Locked<[Entry]>([])

    /// - Parameter capacity: the number of events that each channel keeps.
    package init(capacity: Int = 256) {
        self.capacity = capacity
    }

    /// Whether the subject has a channel. It has none before its first event or subscriber, nor long after its end.
    package func has(_ id: ULID) -> Bool { entries.withLock { $0.contains { $0.id == id } } }

    /// The channel of a subject. It is made if there is none.
    package func channel(_ id: ULID) -> EventChannel {
        entries.withLock { entries in
            if let known = entries.first(where: { $0.id == id }) { return known.channel }
            let channel = EventChannel(capacity: capacity)
            entries.append(Entry(id: id, channel: channel))
            return channel
        }
    }

    /// The channel of a subject that may have finished long ago.
    ///
    /// - Parameter replay: publishes the events of a finished subject anew if its channel is gone.
    package func channel(_ id: ULID, isOver: Bool, replay: (EventChannel) -> Void) -> EventChannel {
        guard isOver, !has(id) else { return channel(id) }
        let channel = EventChannel(capacity: capacity, name: "\(id)")
        replay(channel)
        channel.finish()
        return channel
    }

    /// Ends the events of a subject.
    package func finish(_ id: ULID) {
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

    package func remove(_ id: ULID) {
        finish(id)
        entries.withLock { $0.removeAll { $0.id == id } }
    }

    package func finishAll() {
        for entry in entries.withLock({ $0 }) { entry.channel.finish() }
    }
}
