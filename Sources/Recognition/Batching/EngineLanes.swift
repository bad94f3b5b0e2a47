import Base
import Dispatch

/// The threads that run the engines of all models: as many as an engine has lanes, whatever the number of models, so
/// that many models do not crowd the cores, and a busy one leaves the others their share.
///
/// The threads start with the first model and end with the last.
final class EngineLanes: Sendable {
    typealias ModelID = UInt64

    /// A photo that waits.
    struct Request: Sendable {
        let model: ModelID
        let input: [UInt8]
        let continuation: CheckedContinuation<Batcher.Inference, any Error>
    }

    private let monitor: Monitor<EngineLanesState>

    init(policy: BatchPolicy) {
        monitor = Monitor(EngineLanesState(policy: policy))
    }

    /// Takes a model in, and starts threads where its engine has more lanes than there are.
    func open(
        _ engine: any InferenceEngine, observer: any RecognitionObserver
    ) throws(RecognitionError) -> ModelID {
        let (id, lanes, generation) = monitor.withLock { $0.open(engine, observer: observer) }
        for lane in lanes {
            do throws(RecognitionError) {
                // The thread keeps this object alive until the last model is closed.
                let thread = try WorkerThread(name: "engine-\(lane)") { self.run(lane: lane, generation: generation) }
                monitor.withLock { $0.threads.append(thread) }
            } catch {
                close(id, finishingQueue: false)
                throw error
            }
        }
        return id
    }

    /// Lets the engine finish what it has. Blocks until then; with the last model the threads end.
    ///
    /// - Parameter finishingQueue: whether photos that wait are still answered, or refused.
    func close(_ id: ModelID, finishingQueue: Bool) {
        let (waiting, isDone) = monitor.withLock { $0.stop(id, finishingQueue: finishingQueue) }
        for request in waiting { request.continuation.resume(throwing: RecognitionError.stopped) }
        guard let isDone else { return }
        isDone.wait()
        let ending = monitor.withLock { $0.close(id) }
        monitor.broadcast()
        for thread in ending { thread.join() }
    }

    /// Photos of a model that wait.
    func queueDepth(of id: ModelID) -> Int { monitor.withLock { $0.queue.count(of: id) } }

    /// Puts a photo in its model's queue, or fails it at once.
    func admit(_ request: Request, id: UInt64, priority: Priority, deadline: ContinuousClock.Instant?) {
        let (failure, observer, isUniform) = monitor.withLock { state in
            (
                state.admit(request, id: id, priority: priority, deadline: deadline),
                state.models[request.model]?.observer, state.isUniform
            )
        }
        if let failure {
            if case .overloaded = failure { observer?.refused(.queueFull) }
            request.continuation.resume(throwing: failure)
            return
        }
        // Which thread a signal wakes is not ours to choose; it has to be one that can serve the model.
        if isUniform { monitor.signal() } else { monitor.broadcast() }
        observer?.queueDepth(queueDepth(of: request.model))
    }

    /// Takes out a photo whose client left, if it still waits.
    func depart(_ id: UInt64, from model: ModelID) {
        let (request, observer) = monitor.withLock { state in
            let request = state.queue.depart(id, from: model)
            state.signalIfDone(model)
            return (request, state.models[model]?.observer)
        }
        guard let request else { return }
        observer?.dropped(reason: .departed)
        request.continuation.resume(throwing: CancellationError())
    }

    private func run(lane: Int, generation: Int) {
        while true {
            let work = monitor.waitUntil { $0.next(lane: lane, generation: generation) }
            switch work {
            case .stop:
                return
            case .expired(let requests):
                for (request, observer) in requests {
                    observer?.dropped(reason: .expired)
                    request.continuation.resume(throwing: RecognitionError.deadlineExceeded)
                }
            case .turn(let turn, let engine, let observer):
                infer(turn, on: engine, lane: lane, observer: observer)
            }
        }
    }

    private func infer(
        _ turn: EngineLanesState.Turn, on engine: any InferenceEngine, lane: Int, observer: any RecognitionObserver
    ) {
        let entries = turn.batch.entries
        let start = ContinuousClock.now
        observer.dispatched(size: entries.count, reason: turn.batch.reason)
        observer.queueDepth(queueDepth(of: turn.key))
        engine.infer(entries.map(\.payload.input), lane: lane) { index, result in
            let entry = entries[index]
            let now = ContinuousClock.now
            let inference = result.map { output in
                Batcher.Inference(
                    output: output, queueSeconds: (start - entry.admitted).seconds,
                    inferenceSeconds: (now - start).seconds, batchSize: entries.count)
            }
            monitor.withLock { $0.complete(turn.key, now: now) }
            observer.queued(seconds: (start - entry.admitted).seconds)
            observer.inferred(seconds: (now - start).seconds)
            if case .success(let output) = result, let second = output.secondStage {
                observer.askedSecondStage(seconds: second.seconds)
            }
            entry.payload.continuation.resume(with: inference.mapError { $0 as any Error })
        }
        let seconds = (ContinuousClock.now - start).seconds
        observer.served(seconds: seconds)
        monitor.withLock { $0.end(turn, seconds: seconds) }
    }
}
