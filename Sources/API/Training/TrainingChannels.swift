import Base
import HTTP
import Jobs
import Training

/// The events of each training: `progress` while it waits and reads photos, `iteration` for each iteration, and at the
/// end `done`, `failed` or `cancelled`.
final class TrainingChannels: Sendable {
    /// Enough events for a hundred steps of progress and the largest number of iterations.
    private static let capacity = 1_200
    /// The number of trainings whose events are kept. Those of older ones are made anew from their records.
    private static let maximumChannels = 64

    private let channels = Locked<[(id: ULID, channel: EventChannel)]>([])

    func take(_ event: TrainingService.Event, isDeployed: (TrainingRecord) -> Bool) {
        switch event {
        case .looked, .ended: break
        case .iteration(let record, let iteration):
            publish(TrainingRepresentation.Iteration(iteration), "iteration", to: channel(record.id))
        case .changed(let record):
            let channel = channel(record.id)
            let summary = TrainingRepresentation(record, isDeployed: isDeployed(record), withIterations: false)
            publish(summary, record.state.isOver ? record.state.rawValue : "progress", to: channel)
            if record.state.isOver { channel.finish() }
        }
    }

    /// The events of a training. For one that ended before the service started, only the important events.
    func channel(of record: TrainingRecord, isDeployed: Bool) -> EventChannel {
        if let known = channels.withLock({ $0.first { $0.id == record.id }?.channel }) { return known }
        guard record.state.isOver else { return channel(record.id) }
        let channel = EventChannel(capacity: Self.capacity)
        for iteration in record.iterations {
            publish(TrainingRepresentation.Iteration(iteration), "iteration", to: channel)
        }
        publish(
            TrainingRepresentation(record, isDeployed: isDeployed, withIterations: false), record.state.rawValue,
            to: channel)
        channel.finish()
        return channels.withLock { Self.keep(channel, of: record.id, in: &$0) }
    }

    private func channel(_ id: ULID) -> EventChannel {
        channels.withLock { Self.keep(EventChannel(capacity: Self.capacity), of: id, in: &$0) }
    }

    /// - Returns: the channel that is kept, which another caller may have made before.
    private static func keep(
        _ channel: EventChannel, of id: ULID, in channels: inout [(id: ULID, channel: EventChannel)]
    ) -> EventChannel {
        if let known = channels.first(where: { $0.id == id }) { return known.channel }
        channels.append((id, channel))
        if channels.count > maximumChannels { channels.removeFirst().channel.finish() }
        return channel
    }

    private func publish(_ value: some Encodable, _ event: String, to channel: EventChannel) {
        guard let bytes = try? JSON.encode(value) else { return }
        channel.publish(String(decoding: bytes, as: UTF8.self), event: event)
    }
}
