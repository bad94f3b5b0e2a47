import Base
import HTTP
import Streams

/// The events of each lap timer: `state`, `started`, `lap`, `undone`, and at the end `deleted`.
struct LapChannels: Sendable {
    private let channels = JobChannels()

    func channel(_ id: ULID) -> EventChannel { channels.channel(id) }

    func remove(_ id: ULID) { channels.remove(id) }

    func take(_ change: LapSessions.Change, of id: ULID) {
        switch change {
        case .event(.state(let state)): channels.publish(["state": state.rawValue], "state", of: id)
        case .event(.started(let runner, let label, let time)):
            channels.publish(LapStarted(runner: runner, label: label, atMs: time.rounded()), "started", of: id)
        case .event(.lap(let lap)):
            channels.publish(LapRepresentation(lap, session: id, name: nil, hasPhoto: false), "lap", of: id)
        case .undone(let number): channels.publish(LapUndone(id: id.description, number: number), "undone", of: id)
        case .deleted:
            channels.publish(["id": id.description], "deleted", of: id)
            channels.remove(id)
        case .gone: channels.remove(id)
        }
    }
}
