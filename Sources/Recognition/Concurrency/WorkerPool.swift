import Base
import Synchronization

/// Threads that run blocking work, such as decoding, with a bounded line in front of them.
///
/// The work of each model is a line of its own, and the threads' time is shared out fairly between the lines.
final class WorkerPool: Sendable {
    private struct Job: Sendable {
        let run: @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var queue: FairQueue<String, Job>
        var rate = ServiceRate()
        var running = 0
        var isStopped = false
    }

    private enum Work {
        case turn(FairQueue<String, Job>.Turn)
        case expired([Job])
        case stop
    }

    private let monitor: Monitor<State>
    private let observer: any RecognitionObserver
    private let nextID = Atomic<UInt64>(0)
    private let threads: Locked<[WorkerThread]> = Locked([])

    /// - Parameters:
    ///   - threadCount: how many jobs run at a time.
    ///   - maximumQueueDepth: how many more may wait in each line.
    ///   - onEnd: runs on each thread before it ends.
    init(
        name: String, threadCount: Int, maximumQueueDepth: Int, observer: any RecognitionObserver = NoObserver(),
        onEnd: @escaping @Sendable () -> Void = {}
    ) throws(RecognitionError) {
        let policy = BatchPolicy(maximumBatchSize: 1, maximumQueueDepth: maximumQueueDepth)
        monitor = Monitor(State(queue: FairQueue(policy: policy)))
        self.observer = observer
        for index in 0..<max(1, threadCount) {
            let thread = try WorkerThread(name: "\(name)-\(index)") {
                self.run()
                onEnd()
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Jobs that wait.
    var queueDepth: Int { monitor.withLock { $0.queue.count } }

    /// Runs the body on a thread of the pool. A cancelled task leaves the line; a started body is finished.
    ///
    /// - Parameter line: whose share of the threads' time it takes: a model's name, or a kind of work.
    /// - Throws: what the body throws, `CancellationError`, or ``RecognitionError``.
    func run<Value: Sendable>(
        in line: String = "", priority: Priority = .interactive, deadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let id = nextID.wrappingAdd(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                let job = Job(
                    run: { continuation.resume(with: Result { try body() }) },
                    fail: { continuation.resume(throwing: $0) })
                let failure = monitor.withLock { state -> RecognitionError? in
                    guard !state.isStopped else { return .stopped }
                    let isAdmitted = state.queue.admit(
                        job, to: line, id: id, priority: priority, now: .now, deadline: deadline)
                    let backlog = state.queue.count + state.running
                    return isAdmitted ? nil : .overloaded(retryAfter: state.rate.drainTime(of: backlog))
                }
                if let failure {
                    if case .overloaded = failure { observer.refused(.queueFull) }
                    job.fail(failure)
                } else {
                    monitor.signal()
                    // The handler may have run before the job was admitted.
                    if Task.isCancelled { depart(id, from: line) }
                }
            }
        } onCancel: {
            depart(id, from: line)
        }
    }

    /// Refuses what waits, lets running jobs finish, ends the threads. Blocks until they have ended.
    func stop() {
        let waiting = monitor.withLock { state in
            state.isStopped = true
            return state.queue.removeAll()
        }
        monitor.broadcast()
        for job in waiting { job.fail(RecognitionError.stopped) }
        for thread in threads.withLock({ threads in
            defer { threads = [] }; return threads
        }) { thread.join() }
    }

    private func depart(_ id: UInt64, from line: String) {
        guard let job = monitor.withLock({ $0.queue.depart(id, from: line) }) else { return }
        observer.dropped(reason: .departed)
        job.fail(CancellationError())
    }

    private func run() {
        while true {
            switch nextWork() {
            case .stop:
                return
            case .expired(let jobs):
                for job in jobs {
                    observer.dropped(reason: .expired)
                    job.fail(RecognitionError.deadlineExceeded)
                }
            case .turn(let turn):
                let start = ContinuousClock.now
                for entry in turn.batch.entries { entry.payload.run() }
                let now = ContinuousClock.now
                monitor.withLock { state in
                    state.queue.end(turn, seconds: (now - start).seconds)
                    state.running -= 1
                    state.rate.complete(now: now, isBusy: state.running + state.queue.count > 0)
                }
            }
        }
    }

    private func nextWork() -> Work {
        monitor.waitUntil { state in
            let now = ContinuousClock.now
            let expired = state.queue.dropExpired(now: now)
            guard expired.isEmpty else { return .done(.expired(expired)) }
            switch state.queue.next(now: now) {
            case .turn(let turn):
                state.running += 1
                return .done(.turn(turn))
            case .notBefore(let instant): return .waitFor(instant - now)
            case .empty: return state.isStopped ? .done(.stop) : .wait
            }
        }
    }
}
