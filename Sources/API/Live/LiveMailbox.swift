import Base
import Recognition

/// A frame on its way through a stream.
struct LiveFrame: Sendable {
    /// Counts the frames received, from 1.
    let number: Int
    let bytes: [UInt8]
    /// Milliseconds since the first frame of the stream.
    let atMilliseconds: Double
    let arrival: ContinuousClock.Instant
}

/// Where a stream's reader leaves what comes for it: one frame, which a newer one replaces, and a few commands. The frames in
/// work are here, too, until what was seen of them is handed out in their order.
///
/// It has two takers: one begins frames (``nextFrame()``), the other one answers them and carries out commands (``next()``),
/// so that the lanes have frames to look at while an answer is on its way.
final class LiveMailbox: Sendable {
    typealias Seen = Result<FrameSight, any Error>

    enum Work: Sendable {
        /// No frame is in work until the next piece of work is asked for, so that it holds for the frames that come after it
        /// and no others.
        case command(LiveCommand)
        /// Of a frame that was looked at.
        case seen(LiveFrame, Seen)
    }

    /// Commands that may wait.
    private static let maximumCommands = 64

    private struct State {
        var commands: [LiveCommand] = []
        /// Whether one is carried out.
        var isCommanding = false
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
        var starter: CheckedContinuation<LiveFrame?, Never>?

        /// What the worker does next; nil where it has to wait.
        mutating func work() -> Work? {
            if let first = looks.first, let seen = first.seen {
                looks.removeFirst()
                return .seen(first.frame, seen)
            }
            guard looks.isEmpty, !commands.isEmpty else { return nil }
            isCommanding = true
            return .command(commands.removeFirst())
        }

        /// The frame that is to be looked at now: as many as the stream's share of the lanes are looked at, and as many
        /// again may have been and wait for their turn to be answered.
        mutating func begin(_ lanes: FrameLanes) -> LiveFrame? {
            guard let next = frame, commands.isEmpty, !isCommanding else { return nil }
            let share = lanes.share
            guard looks.count(where: { $0.seen == nil }) < share, looks.count < 2 * share else { return nil }
            frame = nil
            looks.append((next, nil))
            if !isBusy { lanes.enter() }
            isBusy = true
            return next
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

    /// Whether somebody waits for a frame to begin.
    var isAwaited: Bool { state.withLock { $0.starter != nil } }

    /// Whether a frame waits.
    var hasFrame: Bool { state.withLock { $0.frame != nil } }

    /// Whether nothing more will come; what came is still handed out.
    var isClosed: Bool { state.withLock { $0.isClosed } }

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
        return change { state in
            guard !state.isClosed else { return false }
            state.received += 1
            let isReplaced = state.frame != nil
            if isReplaced { state.dropped += 1 }
            state.frame = LiveFrame(
                number: state.received, bytes: bytes, atMilliseconds: state.clock.take(state.told, arrival: now),
                arrival: now)
            state.told = nil
            return isReplaced
        }
    }

    /// - Returns: false when too many commands wait already.
    func offer(command: LiveCommand) -> Bool {
        change { state in
            guard state.commands.count < Self.maximumCommands else { return false }
            state.commands.append(command)
            return true
        }
    }

    /// Takes what was seen of a frame in work.
    func saw(_ seen: Seen, in frame: LiveFrame) {
        change { state in
            guard let index = state.looks.firstIndex(where: { $0.frame.number == frame.number }) else { return }
            state.looks[index].seen = seen
        }
    }

    /// Nothing more will come; what is there is still handed out.
    func close() { change { $0.isClosed = true } }

    /// The next frame to be looked at, for one task at a time; what is seen of it is left here by ``saw(_:in:)``. nil when the
    /// mailbox is closed and has none.
    func nextFrame() async -> LiveFrame? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in change { $0.starter = continuation } }
        } onCancel: {
            abandon()
        }
    }

    /// The next piece of work, for one task at a time, which has done with the one before; nil when the mailbox is closed and
    /// empty. What was seen comes before commands.
    func next() async -> Work? {
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

    /// Closes it and forgets what was not begun.
    private func abandon() {
        change { state in
            state.isClosed = true
            (state.frame, state.commands) = (nil, [])
        }
    }

    /// Changes the state, and hands out what can be handed out then.
    @discardableResult private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, wakes) = state.withLock { state -> (Value, [@Sendable () -> Void]) in
            let value = body(&state)
            var wakes: [@Sendable () -> Void] = []
            if let worker = state.worker {
                let work = state.work()
                if work != nil || state.isClosed && state.frame == nil && state.looks.isEmpty {
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
            // Nobody answers and nothing is in work: the others have its share.
            if state.worker != nil, state.looks.isEmpty, state.isBusy {
                lanes.leave()
                state.isBusy = false
            }
            return (value, wakes)
        }
        for wake in wakes { wake() }
        return value
    }
}
