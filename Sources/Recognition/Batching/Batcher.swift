import Synchronization

/// One model's photos on their way to its engine: they are gathered into batches and run on ``EngineLanes``.
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

    private let lanes: EngineLanes
    private let model: EngineLanes.ModelID
    private let nextID = Atomic<UInt64>(0)

    /// - Parameter lanes: the threads, which other models may share.
    init(
        engine: any InferenceEngine, lanes: EngineLanes, observer: any RecognitionObserver = NoObserver()
    ) throws(RecognitionError) {
        self.lanes = lanes
        model = try lanes.open(engine, observer: observer)
    }

    /// Photos that wait.
    var queueDepth: Int { lanes.queueDepth(of: model) }

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
                lanes.admit(
                    EngineLanes.Request(model: model, input: input, continuation: continuation), id: id,
                    priority: priority, deadline: deadline)
                // The handler may have run before the photo was admitted.
                if Task.isCancelled { lanes.depart(id, from: model) }
            }
        } onCancel: {
            lanes.depart(id, from: model)
        }
    }

    /// Lets the engine finish what it has. Blocks until then.
    ///
    /// - Parameter finishingQueue: whether photos that wait are still answered, or refused.
    func stop(finishingQueue: Bool = false) { lanes.close(model, finishingQueue: finishingQueue) }
}
