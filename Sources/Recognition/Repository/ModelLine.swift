import Base
import Tracing

/// One model's line before the lanes, and its engine behind it.
package final class ModelLine: Sendable {
    /// One photo's answer and what it took.
    package struct Inference: Sendable {
        package let output: ModelOutput
        /// Seconds between submission and the lane.
        package let queueSeconds: Double
        /// Seconds of the engine.
        package let inferenceSeconds: Double
        /// Photos that the lane took up together.
        package let batchSize: Int
    }

    /// A lane of the engine, for the time of one piece of work.
    package struct Lane {
        package let turn: LaneScheduler.Turn
        fileprivate let line: ModelLine

        /// Has the engine answer. Blocks meanwhile.
        ///
        /// - Parameters:
        ///   - input: as many bytes as the engine's `inputSize`.
        ///   - firstStage: whether only the first network of a cascade is asked.
        package func infer(_ input: [UInt8], firstStage: Bool = false) throws(RecognitionError) -> Inference {
            let start = ContinuousClock.now
            let engine = line.engine
            let output =
                firstStage
                ? try engine.inferFirstStage(input, lane: turn.lane) : try engine.infer(input, lane: turn.lane)
            let now = ContinuousClock.now
            let inference = Inference(
                output: output, queueSeconds: turn.queueSeconds, inferenceSeconds: (now - start).seconds,
                batchSize: turn.batchSize)
            line.observer.inferred(seconds: inference.inferenceSeconds)
            if let second = output.secondStage { line.observer.askedSecondStage(seconds: second.seconds) }
            ServiceContext.recordStage(
                "inference", from: start, seconds: inference.inferenceSeconds,
                [
                    "menagerie.model": .string(line.name),
                    "menagerie.batch_size": .int64(Int64(inference.batchSize)),
                ])
            line.statistics.answered(inference, seconds: (now - turn.admitted).seconds)
            return inference
        }
    }

    private let engine: any InferenceEngine
    private let lanes: LaneScheduler
    private let line: LaneScheduler.LineID
    private let observer: any RecognitionObserver
    private let statistics: InferenceStatistics
    private let name: String

    /// - Parameters:
    ///   - lanes: the threads, which other models share.
    ///   - name: of the model, for traces.
    init(
        engine: any InferenceEngine, lanes: LaneScheduler, observer: any RecognitionObserver = NoObserver(),
        statistics: InferenceStatistics = InferenceStatistics(), name: String = ""
    ) throws(RecognitionError) {
        self.engine = engine
        self.lanes = lanes
        self.observer = observer
        self.statistics = statistics
        self.name = name
        line = try lanes.open(lanes: engine.lanes, observer: observer)
    }

    /// Photos that wait.
    var queueDepth: Int { lanes.queueDepth(of: line) }

    /// Runs the body on a lane of the engine: it decodes a photo, has the engine answer, or both.
    ///
    /// Cancelling the task takes the photo out of the line; once a lane has it, it is finished and thrown away.
    ///
    /// - Parameter isBegun: whether the photo was decoded already, see ``LaneScheduler/run(in:isBegun:priority:deadline:_:)``.
    /// - Throws: what the body throws, ``RecognitionError``, or `CancellationError`.
    package func run<Value: Sendable>(
        isBegun: Bool = false, priority: Priority = .interactive, deadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable (Lane) throws -> Value
    ) async throws -> Value {
        let start = ContinuousClock.now
        // A lane is no task: it does not know for whom it works.
        let context = ServiceContext.current
        do {
            return try await lanes.run(in: line, isBegun: isBegun, priority: priority, deadline: deadline) { turn in
                self.observer.queued(seconds: turn.queueSeconds)
                return try ServiceContext.withValue(context) {
                    ServiceContext.recordStage(
                        "wait in queue", from: turn.admitted, seconds: turn.queueSeconds,
                        ["menagerie.model": .string(self.name)])
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

    /// Waits for the engine's answer to what is decoded already.
    ///
    /// - Parameter input: as many bytes as the engine's `inputSize`.
    /// - Throws: ``RecognitionError`` or `CancellationError`.
    package func submit(
        _ input: [UInt8], isBegun: Bool = false, priority: Priority = .interactive,
        deadline: ContinuousClock.Instant? = nil
    ) async throws -> Inference {
        try await run(isBegun: isBegun, priority: priority, deadline: deadline) { try $0.infer(input) }
    }

    /// Lets the engine finish what it has. Blocks until then.
    ///
    /// - Parameter finishingQueue: whether photos that wait are still answered, or refused.
    func stop(finishingQueue: Bool = false) { lanes.close(line, finishingQueue: finishingQueue) }
}
