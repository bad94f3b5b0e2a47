import Base
import HTTP
import History
import Training

/// The events of each training: `progress` while it waits and reads photos, `iteration` for each iteration, and at the
/// end `done`, `failed` or `cancelled`.
struct TrainingChannels: Sendable {
    /// Enough events for a hundred steps of progress and the largest number of iterations.
    private static let capacity = 1_200

    private let channels = JobChannels(capacity: Self.capacity)

    func take(_ event: TrainingService.Event, isDeployed: (TrainingRecord) -> Bool) {
        switch event {
        case .looked, .ended: break
        case .iteration(let record, let iteration):
            channels.publish(TrainingRepresentation.Iteration(iteration), "iteration", of: record.id)
        case .changed(let record):
            let summary = TrainingRepresentation(record, isDeployed: isDeployed(record), withIterations: false)
            channels.publish(summary, record.state.isOver ? record.state.rawValue : "progress", of: record.id)
            if record.state.isOver { channels.finish(record.id) }
        }
    }

    /// The events of a training. For one that ended long ago, only the important events, made anew from its record.
    func channel(of record: TrainingRecord, isDeployed: Bool) -> EventChannel {
        if let known = channels.existing(record.id) { return known }
        guard record.state.isOver else { return channels.channel(record.id) }
        let channel = EventChannel(capacity: Self.capacity, name: "\(record.id)")
        for iteration in record.iterations { channel.publish(TrainingRepresentation.Iteration(iteration), "iteration") }
        let summary = TrainingRepresentation(record, isDeployed: isDeployed, withIterations: false)
        channel.publish(summary, record.state.rawValue)
        channel.finish()
        return channel
    }
}
