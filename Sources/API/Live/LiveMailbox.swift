import Base
import Recognition
import Scans

/// A frame on its way through a stream.
struct LiveFrame: Sendable {
    /// Counts the frames received, from 1.
    let number: Int
    let bytes: [UInt8]
    /// Milliseconds since the first frame of the stream.
    let atMilliseconds: Double
    let arrival: ContinuousClock.Instant
}

/// Where a stream's reader leaves what comes for its worker: one frame, which a newer one replaces, and a few commands. The
/// frames in work are here, too, until what was seen of them is handed out in their order.
final class LiveMailbox: Sendable {
    typealias Seen = Result<FrameSight, any Error>

    enum Work: Sendable {
        /// Nothing is in work while it is carried out, so that it holds for the frames that come after it and no others.
        case command(LiveCommand)
        /// To be looked at; what is seen of it is left here by ``saw(_:in:)``.
        case frame(LiveFrame)
        /// Of a frame that was looked at.
        case seen(LiveFrame, Seen)
    }

    /// Commands that may wait.
    private static let maximumCommands = 64

    private struct State {
        var commands: [LiveCommand] = []
        var frame: LiveFrame?
        /// Frames in work, in their order.
        var looks: [(frame: LiveFrame, seen: Seen?)] = []
        var clock = LiveClock()
        /// What the client said of the frame that comes next.
        var told: Double?
        var received = 0
        var dropped = 0
        /// Whether it counts among the streams that have a frame in work.
        var isBusy = false
        var isClosed = false
        var worker: CheckedContinuation<Work?, Never>?

        /// Whether the worker has all that it will ever get.
        var isOver: Bool { isClosed && commands.isEmpty && frame == nil && looks.isEmpty }

        /// - Returns: nil where the worker has to wait.
        mutating func take(_ lanes: FrameLanes) -> Work? {
            if let first = looks.first, let seen = first.seen {
                looks.removeFirst()
                return .seen(first.frame, seen)
            }
            guard commands.isEmpty else { return looks.isEmpty ? .command(commands.removeFirst()) : nil }
            guard let frame, looks.isEmpty || looks.count < lanes.share else { return nil }
            self.frame = nil
            looks.append((frame, nil))
            if !isBusy { lanes.enter() }
            isBusy = true
            return .frame(frame)
        }
    }

    private let lanes: FrameLanes
    private let state = Locked(State())

    init(lanes: FrameLanes) {
        self.lanes = lanes
    }

    deinit {
        if state.withLock({ $0.isBusy }) { lanes.leave() }
    }

    /// Frames that were replaced before they were looked at.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Whether a frame waits.
    var hasFrame: Bool { state.withLock { $0.frame != nil } }

    /// Whether nothing more will come, and the worker has not done with what came.
    var isDraining: Bool { state.withLock { $0.isClosed && ($0.worker == nil || !$0.looks.isEmpty) } }

    /// Takes note of when, by the client's clock, the next frame was taken.
    ///
    /// - Returns: false when that clock has stepped; the frame's arrival counts then.
    func announce(_ milliseconds: Double) -> Bool {
        state.withLock { state in
            state.told = milliseconds
            return state.clock.allows(milliseconds, arrival: .now)
        }
    }

    /// - Returns: whether another frame was replaced.
    @discardableResult func offer(frame bytes: [UInt8]) -> Bool {
        let now = ContinuousClock.now
        let (isReplaced, wakes) = state.withLock { state -> (Bool, (CheckedContinuation<Work?, Never>, Work?)?) in
            guard !state.isClosed else { return (false, nil) }
            state.received += 1
            let isReplaced = state.frame != nil
            if isReplaced { state.dropped += 1 }
            state.frame = LiveFrame(
                number: state.received, bytes: bytes, atMilliseconds: state.clock.take(state.told, arrival: now),
                arrival: now)
            state.told = nil
            return (isReplaced, wake(&state))
        }
        wakes.map { $0.resume(returning: $1) }
        return isReplaced
    }

    /// - Returns: false when too many commands wait already.
    func offer(command: LiveCommand) -> Bool {
        let (isTaken, wakes) = state.withLock { state -> (Bool, (CheckedContinuation<Work?, Never>, Work?)?) in
            guard state.commands.count < Self.maximumCommands else { return (false, nil) }
            state.commands.append(command)
            return (true, wake(&state))
        }
        wakes.map { $0.resume(returning: $1) }
        return isTaken
    }

    /// Takes what was seen of a frame in work.
    func saw(_ seen: Seen, in frame: LiveFrame) {
        let wakes = state.withLock { state in
            if let index = state.looks.firstIndex(where: { $0.frame.number == frame.number }) {
                state.looks[index].seen = seen
            }
            return wake(&state)
        }
        wakes.map { $0.resume(returning: $1) }
    }

    /// Nothing more will come; what is there is still handed out.
    func close() {
        let worker = state.withLock { state -> CheckedContinuation<Work?, Never>? in
            state.isClosed = true
            guard state.isOver else { return nil }
            defer { state.worker = nil }
            return state.worker
        }
        worker?.resume(returning: nil)
    }

    /// The next piece of work, for one task at a time, which has done with the one before; nil when the mailbox is closed and
    /// empty. What was seen comes first, then commands, then the frame.
    func next() async -> Work? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let step = state.withLock { state -> Work?? in
                    if let work = state.take(lanes) { return .some(work) }
                    if state.looks.isEmpty, state.isBusy {
                        lanes.leave()
                        state.isBusy = false
                    }
                    if state.isOver { return .some(nil) }
                    state.worker = continuation
                    return nil
                }
                if let step { continuation.resume(returning: step) }
            }
        } onCancel: {
            close()
        }
    }

    private func wake(_ state: inout State) -> (CheckedContinuation<Work?, Never>, Work?)? {
        guard let worker = state.worker else { return nil }
        if let work = state.take(lanes) {
            state.worker = nil
            return (worker, work)
        }
        guard state.isOver else { return nil }
        state.worker = nil
        return (worker, nil)
    }
}
