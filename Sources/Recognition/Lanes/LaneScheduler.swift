import Base
import Dispatch
import Synchronization

/// The threads that process photos. Each takes a photo, decodes it, runs the network and delivers the answer before it
/// takes the next, so that no more photos are in work than cores can finish.
///
/// Work waits in lines, one for each model and each other kind of work. The threads' time is shared fairly between the
/// lines. There are as many threads as the largest line has lanes. They start with the first line and end with the
/// last.
package final class LaneScheduler: Sendable {
    package typealias LineID = UInt64

    /// The time of a piece of work on a lane.
    package struct Turn: Sendable {
        /// The number of the thread, 0 ..< the lanes of the line. No other piece of work has it at the same time.
        package let lane: Int
        package let admitted: ContinuousClock.Instant
        /// The wait since admission, in seconds.
        package let queueSeconds: Double
    }

    /// A waiting piece of work.
    struct Job: Sendable {
        let line: LineID
        let run: @Sendable (Turn) -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private let monitor: Monitor<LaneSchedulerState>
    private let onEnd: @Sendable () -> Void
    private let nextID = Atomic<UInt64>(0)

    /// - Parameter onEnd: runs on each thread before it ends.
    package init(policy: QueuePolicy, onEnd: @escaping @Sendable () -> Void = {}) {
        monitor = Monitor(LaneSchedulerState(policy: policy))
        self.onEnd = onEnd
    }

    /// Opens a line, and starts threads if it has more lanes than there are threads.
    ///
    /// - Parameter width: the number of its pieces of work that may run at the same time.
    package func openLine(
        width: Int, observer: any RecognitionObserver = NoObserver()
    ) throws(RecognitionError) -> LineID {
        let (id, missing, generation) = monitor.withLock { $0.openLine(width: max(1, width), observer: observer) }
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

    /// Closes a line. Blocks until its running work is done. The threads end with the last line.
    ///
    /// - Parameter finishingQueue: whether waiting work is still done rather than refused.
    package func close(_ id: LineID, finishingQueue: Bool = false) {
        let (waiting, isDone) = monitor.withLock { $0.stop(id, finishingQueue: finishingQueue) }
        for job in waiting { job.fail(RecognitionError.stopped) }
        guard let isDone else { return }
        isDone.wait()
        let ending = monitor.withLock { $0.close(id) }
        monitor.broadcast()
        for thread in ending { thread.join() }
    }

    /// Whether interactive work waits or runs, or did so a moment ago; see `BackgroundPace`.
    package var isBusy: Bool { monitor.withLock { $0.isBusy } }

    /// The number of waiting pieces of work in a line.
    package func queueDepth(of id: LineID) -> Int { monitor.withLock { $0.queue.count(of: id) } }

    /// Runs the body on a lane. A cancelled task leaves the line; a running body is finished.
    ///
    /// - Parameter isBegun: whether the body continues work already begun. It then goes before all other work if it is
    ///   interactive.
    /// - Throws: errors of the body, `CancellationError`, or ``RecognitionError``.
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
                // The cancellation handler may have run before the job was admitted.
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
        // A signal may wake a thread that cannot serve this line, or may not take background work yet.
        if admission.isForAnyThread { monitor.signal() } else { monitor.broadcast() }
        admission.observer?.queueDepth(admission.depth)
    }

    /// Removes a waiting piece of work that nobody wants any more.
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
                observer.queueDepth(depth)
                let (start, entry) = (ContinuousClock.now, turn.entry)
                let queueSeconds = (start - entry.admitted).seconds
                entry.payload.run(Turn(lane: lane, admitted: entry.admitted, queueSeconds: queueSeconds))
                let now = ContinuousClock.now
                let seconds = (now - start).seconds
                observer.served(seconds: seconds)
                monitor.withLock { $0.end(turn, now: now, seconds: seconds) }
            }
        }
    }
}
