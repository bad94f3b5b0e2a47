import Base

/// A frame on its way through a stream.
struct LiveFrame: Sendable {
    /// Counts the frames received, from 1.
    let number: Int
    let bytes: [UInt8]
    /// Milliseconds since the first frame of the stream.
    let atMilliseconds: Double
    let arrival: ContinuousClock.Instant
}

/// Where a stream's reader leaves what comes for its worker: one frame, which a newer one replaces, and a few commands.
final class LiveMailbox: Sendable {
    enum Work: Sendable {
        case command(LiveCommand)
        case frame(LiveFrame)
    }

    /// Commands that may wait.
    private static let maximumCommands = 64

    private struct State {
        var commands: [LiveCommand] = []
        var frame: LiveFrame?
        var clock = LiveClock()
        /// What the client said of the frame that comes next.
        var told: Double?
        var received = 0
        var dropped = 0
        var isClosed = false
        var worker: CheckedContinuation<Work?, Never>?

        mutating func take() -> Work? {
            if !commands.isEmpty { return .command(commands.removeFirst()) }
            defer { frame = nil }
            return frame.map(Work.frame)
        }
    }

    private let state = Locked(State())

    /// Frames that were replaced before they were looked at.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Whether a frame waits.
    var hasFrame: Bool { state.withLock { $0.frame != nil } }

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
            return (isReplaced, Self.wake(&state))
        }
        wakes.map { $0.resume(returning: $1) }
        return isReplaced
    }

    /// - Returns: false when too many commands wait already.
    func offer(command: LiveCommand) -> Bool {
        let (isTaken, wakes) = state.withLock { state -> (Bool, (CheckedContinuation<Work?, Never>, Work?)?) in
            guard state.commands.count < Self.maximumCommands else { return (false, nil) }
            state.commands.append(command)
            return (true, Self.wake(&state))
        }
        wakes.map { $0.resume(returning: $1) }
        return isTaken
    }

    /// Nothing more will come; what is there is still handed out.
    func close() {
        let worker = state.withLock { state -> CheckedContinuation<Work?, Never>? in
            state.isClosed = true
            defer { state.worker = nil }
            return state.worker
        }
        worker?.resume(returning: nil)
    }

    /// The next piece of work, for one task at a time; nil when the mailbox is closed and empty. Commands come before the
    /// frame.
    func next() async -> Work? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let step = state.withLock { state -> Work?? in
                    if let work = state.take() { return .some(work) }
                    if state.isClosed { return .some(nil) }
                    state.worker = continuation
                    return nil
                }
                if let step { continuation.resume(returning: step) }
            }
        } onCancel: {
            close()
        }
    }

    private static func wake(_ state: inout State) -> (CheckedContinuation<Work?, Never>, Work?)? {
        guard let worker = state.worker else { return nil }
        state.worker = nil
        return (worker, state.take())
    }
}
