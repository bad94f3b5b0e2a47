import Base
import Dispatch
import Synchronization

/// The threads that process photos. Each takes a photo, decodes it, runs the network and delivers the answer before it
/// takes the next, so that no more photos are in work than cores can finish.
///
/// Work waits in lines, one for each model and each other kind of work. `LaneQueue` chooses what is next. There are as
/// many threads as the widest line has lanes. They start with the first line and end with the last.
package final class LaneScheduler: Sendable {
    /// A line of work, such as the photos for one model.
    package struct Line: Sendable {
        let id: UInt64
        /// The number of its pieces of work that may run at the same time. They run on the lanes 0 ..< width.
        let width: Int
        let observer: any RecognitionObserver
        /// Signalled when the line is stopped and has nothing left to do.
        let isDone = DispatchSemaphore(value: 0)
    }

    /// The time of a piece of work on a lane.
    package struct Turn: Sendable {
        /// The number of the thread, 0 ..< the width of the line. No other piece of work has it at the same time.
        package let lane: Int
        package let admitted: ContinuousClock.Instant
        /// The wait since admission, in seconds.
        package let queueSeconds: Double
    }

    /// A piece of work that waits or runs.
    struct Work: Sendable {
        let id: UInt64
        let line: Line
        var isBegun = false
        var priority = Priority.interactive
        let admitted: ContinuousClock.Instant
        var deadline: ContinuousClock.Instant?
        var run: @Sendable (Turn) -> Void = { _ in }
        var fail: @Sendable (any Error) -> Void = { _ in }
        /// The seconds with which its line was charged when it got a lane.
        var estimate = 0.0
    }

    private struct State {
        var queue: LaneQueue
        var threads: [WorkerThread] = []
        var lanes = 0
        /// Threads of an earlier generation end.
        var generation = 0
    }

    /// The next step of a thread.
    private enum Step {
        /// - Parameter depth: the number of pieces of work that still wait in the line.
        case work(Work, depth: Int)
        case expired([Work])
        case stop
    }

    private let monitor: Monitor<State>
    private let onEnd: @Sendable () -> Void
    private let lastID = Atomic<UInt64>(0)

    /// - Parameter onEnd: runs on each thread before it ends.
    package init(policy: QueuePolicy, onEnd: @escaping @Sendable () -> Void = {}) {
        monitor = Monitor(State(queue: LaneQueue(policy: policy)))
        self.onEnd = onEnd
    }

    private func newID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Opens a line, and starts threads if it has more lanes than there are threads.
    ///
    /// - Parameter width: the number of its pieces of work that may run at the same time.
    package func openLine(
        width: Int, observer: any RecognitionObserver = NoObserver()
    ) throws(RecognitionError) -> Line {
        let line = Line(id: newID(), width: max(1, width), observer: observer)
        let (missing, generation) = monitor.withLock { state in
            state.queue.open(line)
            let before = state.lanes
            state.lanes = max(before, line.width)
            return (before..<state.lanes, state.generation)
        }
        for lane in missing {
            do {
                // The thread keeps this object alive until the last line is closed.
                let thread = try WorkerThread(name: "lane-\(lane)") {
                    self.serve(lane: lane, generation: generation)
                    self.onEnd()
                }
                monitor.withLock { $0.threads.append(thread) }
            } catch {
                close(line)
                throw .threadNotStarted(code: error.code)
            }
        }
        return line
    }

    /// Closes a line. Blocks until its running work is done. The threads end with the last line.
    ///
    /// - Parameter finishingQueue: whether waiting work is still done rather than refused.
    package func close(_ line: Line, finishingQueue: Bool = false) {
        guard let refused = monitor.withLock({ $0.queue.stop(line, finishingQueue: finishingQueue) }) else { return }
        for work in refused { work.fail(RecognitionError.stopped) }
        line.isDone.wait()
        let ending = monitor.withLock { state -> [WorkerThread] in
            state.queue.close(line)
            guard state.queue.isClosed else { return [] }
            defer { (state.threads, state.lanes) = ([], 0) }
            state.generation += 1
            return state.threads
        }
        monitor.broadcast()
        for thread in ending { thread.join() }
    }

    /// Whether interactive work waits or runs, or did so a moment ago; see `BackgroundPace`.
    package var isBusy: Bool { monitor.withLock { $0.queue.isBusy(now: .now) } }

    /// The number of waiting pieces of work in a line.
    package func queueDepth(of line: Line) -> Int { monitor.withLock { $0.queue.count(of: line) } }

    /// Runs the body on a lane. A cancelled task leaves the line; a running body is finished.
    ///
    /// - Parameter isBegun: whether the body continues work already begun. It then goes before all other work if it is
    ///   interactive.
    /// - Throws: errors of the body, `CancellationError`, or ``RecognitionError``.
    package func run<Value: Sendable>(
        in line: Line, isBegun: Bool = false, priority: Priority = .interactive,
        deadline: ContinuousClock.Instant? = nil, _ body: @escaping @Sendable (Turn) throws -> Value
    ) async throws -> Value {
        let id = newID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                admit(
                    Work(
                        id: id, line: line, isBegun: isBegun, priority: priority, admitted: .now, deadline: deadline,
                        run: { turn in continuation.resume(with: Result { try body(turn) }) },
                        fail: { continuation.resume(throwing: $0) }))
                // The cancellation handler may have run before the work was admitted.
                if Task.isCancelled { depart(id, from: line) }
            }
        } onCancel: {
            depart(id, from: line)
        }
    }

    /// Puts a piece of work in its line, or fails it at once.
    private func admit(_ work: Work) {
        do throws(RecognitionError) {
            let (depth, isForAnyThread) = try monitor.withLock { state throws(RecognitionError) in
                (try state.queue.admit(work), state.queue.suitsAll(state.lanes, work))
            }
            // A signal may wake a thread that cannot serve this line, or may not take background work yet.
            if isForAnyThread { monitor.signal() } else { monitor.broadcast() }
            work.line.observer.queueDepth(depth)
        } catch {
            if case .overloaded = error { work.line.observer.refused(.queueFull) }
            work.fail(error)
        }
    }

    /// Removes a waiting piece of work that nobody wants any more.
    private func depart(_ id: UInt64, from line: Line) {
        guard let work = monitor.withLock({ $0.queue.depart(id, from: line) }) else { return }
        line.observer.dropped(reason: .departed)
        work.fail(CancellationError())
    }

    /// Takes work and does it, until the last line is closed.
    private func serve(lane: Int, generation: Int) {
        while true {
            switch monitor.waitUntil({ Self.step(&$0, lane: lane, generation: generation) }) {
            case .stop:
                return
            case .expired(let late):
                for work in late {
                    work.line.observer.dropped(reason: .expired)
                    work.fail(RecognitionError.deadlineExceeded)
                }
            case .work(let work, let depth):
                work.line.observer.queueDepth(depth)
                let start = ContinuousClock.now
                work.run(Turn(lane: lane, admitted: work.admitted, queueSeconds: (start - work.admitted).seconds))
                let now = ContinuousClock.now
                let seconds = (now - start).seconds
                work.line.observer.served(seconds: seconds)
                monitor.withLock { $0.queue.end(work, now: now, seconds: seconds) }
            }
        }
    }

    private static func step(_ state: inout State, lane: Int, generation: Int) -> Monitor<State>.Step<Step> {
        guard generation == state.generation else { return .done(.stop) }
        let now = ContinuousClock.now
        let expired = state.queue.dropExpired(now: now)
        guard expired.isEmpty else { return .done(.expired(expired)) }
        if let work = state.queue.next(for: lane, now: now) {
            return .done(.work(work, depth: state.queue.count(of: work.line)))
        }
        return state.queue.hold(now: now).map { .waitUntil($0) } ?? .wait
    }
}
