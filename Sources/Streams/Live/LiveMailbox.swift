import Base
package import Recognition

/// A frame in a stream.
package struct LiveFrame: Sendable {
    /// The number of the frame in the stream, from 1.
    package let number: Int
    package let bytes: [UInt8]
    /// Milliseconds since the first frame of the stream.
    package let atMilliseconds: Double
    package let arrival: ContinuousClock.Instant
}

/// Messages between a stream's reader and its workers: one waiting frame, which a newer one replaces, and a few
/// commands. Frames in process are here too, until their results are handed out in order.
///
/// It has two takers. One begins frames (``nextFrame()``). The other answers them and carries out commands
/// (``next()``). So the lanes have frames to process while an answer is on its way.
package final class LiveMailbox<Command: Sendable>: Sendable {
    package typealias Seen = Result<FrameInference, any Error>

    package enum Work: Sendable {
        /// A command. No frame is in process until the next piece of work is requested, so the command holds exactly
        /// for the frames that come after it.
        case command(Command)
        /// The result of a frame.
        case seen(LiveFrame, Seen)
    }

    /// The largest number of waiting commands.
    private static var maximumCommands: Int { 64 }

    private struct State {
        var commands: [Command] = []
        /// Whether a command is being carried out.
        var isCommanding = false
        var frame: LiveFrame?
        /// The frames in process, in order.
        var inferences: [(frame: LiveFrame, seen: Seen?)] = []
        var clock = LiveClock()
        /// The client's time for the next frame.
        var clientTime: Double?
        var received = 0
        var dropped = 0
        /// Whether the stream counts among those that are processing frames.
        var isBusy = false
        var isClosed = false
        var worker: CheckedContinuation<Work?, Never>?
        var starter: CheckedContinuation<LiveFrame?, Never>?

        /// The worker's next piece of work; nil if it has to wait.
        mutating func work() -> Work? {
            if let first = inferences.first, let seen = first.seen {
                inferences.removeFirst()
                return .seen(first.frame, seen)
            }
            guard inferences.isEmpty, !commands.isEmpty else { return nil }
            isCommanding = true
            return .command(commands.removeFirst())
        }

        /// The frame to process now, if any. As many frames as the stream's share of the lanes may be in process, and
        /// as many again may wait for their answer.
        mutating func begin(_ lanes: FrameLanes) -> LiveFrame? {
            guard let next = frame, commands.isEmpty, !isCommanding else { return nil }
            let share = lanes.share
            guard inferences.count(where: { $0.seen == nil }) < share, inferences.count < 2 * share else { return nil }
            frame = nil
            inferences.append((next, nil))
            if !isBusy { lanes.enter() }
            isBusy = true
            return next
        }
    }

    private let lanes: FrameLanes
    private let state = Locked(State())

    package init(lanes: FrameLanes) { self.lanes = lanes }

    deinit {
        if state.withLock({ $0.isBusy }) { lanes.leave() }
    }

    /// The number of frames that were replaced before they were processed.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Whether a task waits for a frame.
    var isAwaited: Bool { state.withLock { $0.starter != nil } }

    package var hasFrame: Bool { state.withLock { $0.frame != nil } }

    /// Whether the mailbox is closed. What came before is still handed out.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Notes the client's time for the next frame.
    ///
    /// - Returns: false if the client's clock was set. The frame's arrival counts then.
    package func announce(_ milliseconds: Double) -> Bool {
        state.withLock { state in
            state.clientTime = milliseconds
            return state.clock.allows(milliseconds, arrival: .now)
        }
    }

    /// - Returns: whether an older frame was replaced.
    @discardableResult package func offer(frame bytes: [UInt8]) -> Bool {
        let now = ContinuousClock.now
        return change { state in
            guard !state.isClosed else { return false }
            state.received += 1
            let isReplaced = state.frame != nil
            if isReplaced { state.dropped += 1 }
            state.frame = LiveFrame(
                number: state.received, bytes: bytes, atMilliseconds: state.clock.take(state.clientTime, arrival: now),
                arrival: now)
            state.clientTime = nil
            return isReplaced
        }
    }

    /// - Returns: false if too many commands wait already.
    package func offer(command: Command) -> Bool {
        change { state in
            guard state.commands.count < Self.maximumCommands else { return false }
            state.commands.append(command)
            return true
        }
    }

    /// Stores the result of a frame in process.
    package func saw(_ seen: Seen, in frame: LiveFrame) {
        change { state in
            guard let index = state.inferences.firstIndex(where: { $0.frame.number == frame.number }) else { return }
            state.inferences[index].seen = seen
        }
    }

    /// Closes the mailbox. What is there is still handed out.
    package func close() { change { $0.isClosed = true } }

    /// The next frame to process, for one task at a time. Its result goes to `saw`. The result is nil when the
    /// mailbox is closed and has no frame.
    package func nextFrame() async -> LiveFrame? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in change { $0.starter = continuation } }
        } onCancel: {
            abandon()
        }
    }

    /// The next piece of work, for one task at a time, which has finished the one before. Results come before commands.
    /// It is nil when the mailbox is closed and empty.
    package func next() async -> Work? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    state.isCommanding = false
                    state.worker = continuation
                }
            }
        } onCancel: {
            abandon()
        }
    }

    /// Closes the mailbox and drops work that was not begun.
    private func abandon() {
        change { state in
            state.isClosed = true
            (state.frame, state.commands) = (nil, [])
        }
    }

    /// Changes the state, and hands out the work that becomes available.
    @discardableResult private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, wakes) = state.withLock { state -> (Value, [@Sendable () -> Void]) in
            let value = body(&state)
            var wakes: [@Sendable () -> Void] = []
            if let worker = state.worker {
                let work = state.work()
                if work != nil || state.isClosed && state.frame == nil && state.inferences.isEmpty {
                    state.worker = nil
                    wakes.append { worker.resume(returning: work) }
                }
            }
            if let starter = state.starter {
                let frame = state.begin(lanes)
                if frame != nil || state.isClosed && state.frame == nil {
                    state.starter = nil
                    wakes.append { starter.resume(returning: frame) }
                }
            }
            // The stream has nothing in process, so its share goes to the others.
            if state.worker != nil, state.inferences.isEmpty, state.isBusy {
                lanes.leave()
                state.isBusy = false
            }
            return (value, wakes)
        }
        for wake in wakes { wake() }
        return value
    }
}
