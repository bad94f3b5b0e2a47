import Synchronization

/// Gathers photos into batches and owns the threads that run the engine, one for each of its lanes.
///
/// Work-conserving: a free lane takes its share of what waits at once; while all are busy the queue, and with it the
/// next batch, grows up to the cap.
final class Batcher: Sendable {
    /// One photo's answer and what it took.
    struct Inference: Sendable {
        let output: ModelOutput
        /// Seconds between submission and dispatch.
        let queueSeconds: Double
        /// Seconds of engine time for this photo, waiting for earlier ones of its batch included.
        let inferenceSeconds: Double
        /// Photos in the batch it was part of.
        let batchSize: Int
    }

    private typealias Continuation = CheckedContinuation<Inference, any Error>

    private struct Request: Sendable {
        let input: [UInt8]
        let continuation: Continuation
    }

    private struct State {
        var queue: BatchQueue<Request>
        var rate = ServiceRate()
        var inEngine = 0
        var isStopped = false
    }

    private enum Work {
        case batch(BatchQueue<Request>.Batch)
        case expired([Request])
        case stop
    }

    private let engine: any InferenceEngine
    private let observer: any RecognitionObserver
    private let monitor: Monitor<State>
    private let nextID = Atomic<UInt64>(0)
    private let threads: Mutex<[WorkerThread]> = Mutex([])

    /// Starts the engine's threads.
    init(
        engine: any InferenceEngine, policy: BatchPolicy, observer: any RecognitionObserver = NoObserver()
    ) throws(RecognitionError) {
        self.engine = engine
        self.observer = observer
        monitor = Monitor(State(queue: BatchQueue(policy: policy)))
        for lane in 0..<engine.lanes {
            // The thread keeps the batcher alive until `stop`.
            let thread = try WorkerThread(name: "engine-\(lane)") { self.run(lane: lane) }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Photos that wait.
    var queueDepth: Int { monitor.withLock { $0.queue.count } }

    /// Waits for the engine's answer to one photo.
    ///
    /// Cancelling the task takes the photo out of the queue; once the engine has it, it is finished and thrown away.
    ///
    /// - Parameter input: as many bytes as the engine's `inputSize`.
    /// - Throws: ``RecognitionError`` or `CancellationError`.
    func submit(
        _ input: [UInt8], priority: Priority = .interactive, deadline: ContinuousClock.Instant? = nil
    ) async throws -> Inference {
        let id = nextID.wrappingAdd(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                admit(Request(input: input, continuation: continuation), id: id, priority: priority, deadline: deadline)
                // The handler may have run before the photo was admitted.
                if Task.isCancelled { depart(id) }
            }
        } onCancel: {
            depart(id)
        }
    }

    /// Lets the engine finish what it has and ends the threads. Blocks until they have ended.
    ///
    /// - Parameter finishingQueue: whether photos that wait are still answered, or refused.
    func stop(finishingQueue: Bool = false) {
        let waiting = monitor.withLock { state in
            state.isStopped = true
            return finishingQueue ? [] : state.queue.removeAll()
        }
        monitor.broadcast()
        for request in waiting { request.continuation.resume(throwing: RecognitionError.stopped) }
        let ending = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in ending { thread.join() }
    }

    private func admit(_ request: Request, id: UInt64, priority: Priority, deadline: ContinuousClock.Instant?) {
        let (failure, depth) = monitor.withLock { state -> (RecognitionError?, Int) in
            guard !state.isStopped else { return (.stopped, 0) }
            let admitted = state.queue.admit(request, id: id, priority: priority, now: .now, deadline: deadline)
            let backlog = state.queue.count + state.inEngine
            return (admitted ? nil : .overloaded(retryAfter: state.rate.drainTime(of: backlog)), state.queue.count)
        }
        if let failure {
            if case .overloaded = failure { observer.refused() }
            request.continuation.resume(throwing: failure)
        } else {
            monitor.signal()
            observer.queueDepth(depth)
        }
    }

    private func depart(_ id: UInt64) {
        guard let request = monitor.withLock({ $0.queue.depart(id) }) else { return }
        observer.dropped(reason: .departed)
        request.continuation.resume(throwing: CancellationError())
    }

    private func run(lane: Int) {
        while true {
            switch nextWork() {
            case .stop:
                return
            case .expired(let requests):
                for request in requests {
                    observer.dropped(reason: .expired)
                    request.continuation.resume(throwing: RecognitionError.deadlineExceeded)
                }
            case .batch(let batch):
                infer(batch, lane: lane)
            }
        }
    }

    private func nextWork() -> Work {
        monitor.waitUntil { state in
            let now = ContinuousClock.now
            let expired = state.queue.dropExpired(now: now)
            guard expired.isEmpty else { return .done(.expired(expired)) }
            switch state.queue.next(now: now, workers: engine.lanes) {
            case .batch(let batch):
                state.inEngine += batch.entries.count
                return .done(.batch(batch))
            case .notBefore(let instant):
                return .waitFor(instant - now)
            case .empty:
                return state.isStopped ? .done(.stop) : .wait
            }
        }
    }

    private func infer(_ batch: BatchQueue<Request>.Batch, lane: Int) {
        let start = ContinuousClock.now
        observer.dispatched(size: batch.entries.count, reason: batch.reason)
        observer.queueDepth(queueDepth)
        engine.infer(batch.entries.map(\.payload.input), lane: lane) { index, result in
            let entry = batch.entries[index]
            let now = ContinuousClock.now
            let inference = result.map { output in
                Inference(
                    output: output, queueSeconds: (start - entry.admitted).seconds,
                    inferenceSeconds: (now - start).seconds, batchSize: batch.entries.count)
            }
            monitor.withLock { state in
                state.inEngine -= 1
                state.rate.complete(now: now, isBusy: state.inEngine + state.queue.count > 0)
            }
            observer.queued(seconds: (start - entry.admitted).seconds)
            observer.inferred(seconds: (now - start).seconds)
            entry.payload.continuation.resume(with: inference.mapError { $0 as any Error })
        }
    }
}
