import Base
import Dispatch
import Synchronization

/// The threads that work on photos: each takes one, decodes it, runs the network on it and has it answered before it
/// takes the next, so that no more photos are begun than cores can finish.
///
/// What waits stands in lines, one for each model and each other kind of work, and the threads' time is shared out fairly
/// between the lines. There are as many threads as a line has lanes, whatever the number of lines. They start with the
/// first line and end with the last.
package final class LaneScheduler: Sendable {
    package typealias LineID = UInt64

    /// A piece of work's time on a lane.
    package struct Turn: Sendable {
        /// The thread: 0 ..< the lanes that the line was opened with. No other piece of work has the number meanwhile.
        package let lane: Int
        package let admitted: ContinuousClock.Instant
        /// Seconds of waiting since then.
        package let queueSeconds: Double
        /// Pieces of work that the lane took up together; they run one after the other.
        package let batchSize: Int
    }

    /// A piece of work that waits.
    struct Job: Sendable {
        let line: LineID
        let run: @Sendable (Turn) -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private let monitor: Monitor<LaneSchedulerState>
    private let onEnd: @Sendable () -> Void
    private let nextID = Atomic<UInt64>(0)

    /// - Parameter onEnd: runs on each thread before it ends.
    package init(policy: BatchPolicy, onEnd: @escaping @Sendable () -> Void = {}) {
        monitor = Monitor(LaneSchedulerState(policy: policy))
        self.onEnd = onEnd
    }

    /// Opens a line, and starts threads where it has more lanes than there are.
    ///
    /// - Parameter lanes: how many pieces of its work may run at the same time.
    package func open(
        lanes: Int, observer: any RecognitionObserver = NoObserver()
    ) throws(RecognitionError) -> LineID {
        let (id, missing, generation) = monitor.withLock { $0.open(lanes: max(1, lanes), observer: observer) }
        for lane in missing {
            do throws(RecognitionError) {
                // The thread keeps this object alive until the last line is closed.
                let thread = try WorkerThread(name: "lane-\(lane)") {
                    self.run(lane: lane, generation: generation)
                    self.onEnd()
                }
                monitor.withLock { $0.threads.append(thread) }
            } catch {
                close(id)
                throw error
            }
        }
        return id
    }

    /// Lets what runs in a line finish. Blocks until then; with the last line the threads end.
    ///
    /// - Parameter finishingQueue: whether what waits is still done, or refused.
    package func close(_ id: LineID, finishingQueue: Bool = false) {
        let (waiting, isDone) = monitor.withLock { $0.stop(id, finishingQueue: finishingQueue) }
        for job in waiting { job.fail(RecognitionError.stopped) }
        guard let isDone else { return }
        isDone.wait()
        let ending = monitor.withLock { $0.close(id) }
        monitor.broadcast()
        for thread in ending { thread.join() }
    }

    /// Pieces of work of a line that wait.
    package func queueDepth(of id: LineID) -> Int { monitor.withLock { $0.queue.count(of: id) } }

    /// Runs the body on a lane. A cancelled task leaves the line; a body that was begun is finished.
    ///
    /// - Parameter isBegun: whether it finishes what others wait for that was begun: it goes before everything that was
    ///   not, unless it is bulk.
    /// - Throws: what the body throws, `CancellationError`, or ``RecognitionError``.
    package func run<Value: Sendable>(
        in line: LineID, isBegun: Bool = false, priority: Priority = .interactive,
        deadline: ContinuousClock.Instant? = nil, _ body: @escaping @Sendable (Turn) throws -> Value
    ) async throws -> Value {
        let id = nextID.wrappingAdd(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                let job = Job(
                    line: line, run: { turn in continuation.resume(with: Result { try body(turn) }) },
                    fail: { continuation.resume(throwing: $0) })
                admit(job, id: id, isBegun: isBegun, priority: priority, deadline: deadline)
                // The handler may have run before the job was admitted.
                if Task.isCancelled { depart(id, from: line) }
            }
        } onCancel: {
            depart(id, from: line)
        }
    }

    /// Puts a piece of work in its line, or fails it at once.
    private func admit(_ job: Job, id: UInt64, isBegun: Bool, priority: Priority, deadline: ContinuousClock.Instant?) {
        let admission = monitor.withLock {
            $0.admit(job, id: id, isBegun: isBegun, priority: priority, deadline: deadline)
        }
        if let failure = admission.failure {
            if case .overloaded = failure { admission.observer?.refused(.queueFull) }
            job.fail(failure)
            return
        }
        // Which thread a signal wakes is not ours to choose; it has to be one that can serve the line.
        if admission.isUniform { monitor.signal() } else { monitor.broadcast() }
        admission.observer?.queueDepth(admission.depth)
    }

    /// Takes out what nobody waits for any more, if it was not begun.
    private func depart(_ id: UInt64, from line: LineID) {
        let (job, observer) = monitor.withLock { $0.depart(id, from: line) }
        guard let job else { return }
        observer?.dropped(reason: .departed)
        job.fail(CancellationError())
    }

    private func run(lane: Int, generation: Int) {
        while true {
            switch monitor.waitUntil({ $0.next(lane: lane, generation: generation) }) {
            case .stop:
                return
            case .expired(let jobs):
                for (job, observer) in jobs {
                    observer?.dropped(reason: .expired)
                    job.fail(RecognitionError.deadlineExceeded)
                }
            case .turn(let turn, let observer, let depth):
                observer.dispatched(size: turn.batch.entries.count, reason: turn.batch.reason)
                observer.queueDepth(depth)
                work(turn, lane: lane, observer: observer)
            }
        }
    }

    private func work(_ turn: LaneSchedulerState.Turn, lane: Int, observer: any RecognitionObserver) {
        let start = ContinuousClock.now
        var now = start
        for entry in turn.batch.entries {
            entry.payload.run(
                Turn(
                    lane: lane, admitted: entry.admitted, queueSeconds: (now - entry.admitted).seconds,
                    batchSize: turn.batch.entries.count))
            now = .now
            monitor.withLock { $0.complete(turn.key, now: now) }
        }
        let seconds = (now - start).seconds
        observer.served(seconds: seconds)
        monitor.withLock { $0.end(turn, seconds: seconds) }
    }
}
