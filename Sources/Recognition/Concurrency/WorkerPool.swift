import Synchronization

/// Threads that run blocking work, such as decoding, with a bounded line in front of them.
final class WorkerPool: Sendable {
    private struct Job: Sendable {
        let run: @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var queue: BatchQueue<Job>
        var isStopped = false
    }

    private enum Work {
        case jobs([Job])
        case expired([Job])
        case stop
    }

    private let monitor: Monitor<State>
    private let observer: any RecognitionObserver
    private let nextID = Atomic<UInt64>(0)
    private let threads: Mutex<[WorkerThread]> = Mutex([])

    /// - Parameters:
    ///   - threadCount: how many jobs run at a time.
    ///   - maximumQueueDepth: how many more may wait.
    ///   - onEnd: runs on each thread before it ends.
    init(
        name: String, threadCount: Int, maximumQueueDepth: Int, observer: any RecognitionObserver = NoObserver(),
        onEnd: @escaping @Sendable () -> Void = {}
    ) throws(RecognitionError) {
        let policy = BatchPolicy(maximumBatchSize: 1, maximumQueueDepth: maximumQueueDepth)
        monitor = Monitor(State(queue: BatchQueue(policy: policy)))
        self.observer = observer
        for index in 0..<max(1, threadCount) {
            let thread = try WorkerThread(name: "\(name)-\(index)") {
                self.run()
                onEnd()
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Runs the body on a thread of the pool. A cancelled task leaves the line; a started body is finished.
    ///
    /// - Throws: what the body throws, `CancellationError`, or ``RecognitionError``.
    func run<Value: Sendable>(
        priority: Priority = .interactive, deadline: ContinuousClock.Instant? = nil,
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
                    let admitted = state.queue.admit(job, id: id, priority: priority, now: .now, deadline: deadline)
                    return admitted ? nil : .overloaded(retryAfter: .seconds(1))
                }
                if let failure {
                    job.fail(failure)
                } else {
                    monitor.signal()
                    // The handler may have run before the job was admitted.
                    if Task.isCancelled { depart(id) }
                }
            }
        } onCancel: {
            depart(id)
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

    private func depart(_ id: UInt64) {
        guard let job = monitor.withLock({ $0.queue.depart(id) }) else { return }
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
            case .jobs(let jobs):
                for job in jobs { job.run() }
            }
        }
    }

    private func nextWork() -> Work {
        monitor.waitUntil { state in
            let now = ContinuousClock.now
            let expired = state.queue.dropExpired(now: now)
            guard expired.isEmpty else { return .done(.expired(expired)) }
            switch state.queue.next(now: now) {
            case .batch(let batch): return .done(.jobs(batch.entries.map(\.payload)))
            case .notBefore(let instant): return .waitFor(instant - now)
            case .empty: return state.isStopped ? .done(.stop) : .wait
            }
        }
    }
}
