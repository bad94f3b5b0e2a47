import Base

/// One model's line for the lanes, and its engine.
package final class ModelLine: Sendable {
    package struct Inference: Sendable {
        package let output: ModelOutput
        /// The time between submission and the lane, in seconds.
        package let queueSeconds: Double
        /// The time of the engine, in seconds.
        package let inferenceSeconds: Double
    }

    /// A lane of the engine during one piece of work.
    package struct Lane {
        package let turn: LaneScheduler.Turn
        fileprivate let line: ModelLine

        /// Runs the engine. Blocks.
        ///
        /// - Parameters:
        ///   - input: as many bytes as the engine's `inputSize`.
        ///   - firstStage: whether only the first network of a cascade runs.
        package func infer(_ input: [UInt8], firstStage: Bool = false) throws(RecognitionError) -> Inference {
            let start = ContinuousClock.now
            let engine = line.engine
            let output =
                firstStage
                ? try engine.inferFirstStage(input, lane: turn.lane) : try engine.infer(input, lane: turn.lane)
            let now = ContinuousClock.now
            let inference = Inference(
                output: output, queueSeconds: turn.queueSeconds, inferenceSeconds: (now - start).seconds)
            line.observer.inferred(seconds: inference.inferenceSeconds)
            if let second = output.secondStage { line.observer.askedSecondStage(seconds: second.seconds) }
            ActiveSpan.recordStage(
                "inference", from: start, seconds: inference.inferenceSeconds,
                ["menagerie.model": .text(line.name)])
            line.statistics.answered(inference, seconds: (now - turn.admitted).seconds)
            return inference
        }
    }

    private let engine: any InferenceEngine
    private let lanes: LaneScheduler
    private let line: LaneScheduler.Line
    private let observer: any RecognitionObserver
    private let statistics: InferenceStatistics
    private let name: String

    /// - Parameters:
    ///   - lanes: the threads, which other models share.
    ///   - name: the model's name, for traces.
    init(
        engine: any InferenceEngine, lanes: LaneScheduler, observer: any RecognitionObserver = NoObserver(),
        statistics: InferenceStatistics = InferenceStatistics(), name: String = ""
    ) throws(RecognitionError) {
        self.engine = engine
        self.lanes = lanes
        self.observer = observer
        self.statistics = statistics
        self.name = name
        line = try lanes.openLine(width: engine.lanes, observer: observer)
    }

    /// The number of waiting photos.
    var queueDepth: Int { lanes.queueDepth(of: line) }

    /// Runs the body on a lane of the engine. The body decodes a photo, runs the engine, or both.
    ///
    /// Cancelling the task removes a waiting photo. A photo that has a lane is finished and discarded.
    ///
    /// - Parameter isBegun: whether the photo was decoded already, see
    ///   ``LaneScheduler/run(in:isBegun:priority:deadline:_:)``.
    /// - Throws: errors of the body, ``RecognitionError``, or `CancellationError`.
    package func run<Value: Sendable>(
        isBegun: Bool = false, priority: Priority = .interactive, deadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable (Lane) throws -> Value
    ) async throws -> Value {
        let start = ContinuousClock.now
        // A lane's thread does not inherit task-local values, so the span is passed on.
        let span = ActiveSpan.current
        do {
            return try await lanes.run(in: line, isBegun: isBegun, priority: priority, deadline: deadline) { turn in
                self.observer.queued(seconds: turn.queueSeconds)
                return try ActiveSpan.$current.withValue(span) {
                    ActiveSpan.recordStage(
                        "wait in queue", from: turn.admitted, seconds: turn.queueSeconds,
                        ["menagerie.model": .text(self.name)])
                    return try body(Lane(turn: turn, line: self))
                }
            }
        } catch {
            if error is RecognitionError || error is CancellationError {
                statistics.failed(seconds: (ContinuousClock.now - start).seconds)
            }
            throw error
        }
    }

    /// Runs the engine on a decoded input.
    ///
    /// - Parameter input: as many bytes as the engine's `inputSize`.
    /// - Throws: ``RecognitionError`` or `CancellationError`.
    package func submit(
        _ input: [UInt8], isBegun: Bool = false, priority: Priority = .interactive,
        deadline: ContinuousClock.Instant? = nil
    ) async throws -> Inference {
        try await run(isBegun: isBegun, priority: priority, deadline: deadline) { try $0.infer(input) }
    }

    /// Closes the line. Blocks until the engine has finished running work.
    ///
    /// - Parameter finishingQueue: whether waiting photos are still answered rather than refused.
    func stop(finishingQueue: Bool = false) { lanes.close(line, finishingQueue: finishingQueue) }
}
