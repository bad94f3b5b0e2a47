import Base
import Imaging
package import Recognition

/// Analyses the frames of one stream, from a camera or a file. Boxes become tracks. The detector and the classifier
/// name a track over time. The frames also vote on what the stream as a whole shows. Pass one frame at a time, in
/// order.
package actor FrameAnalyser {
    /// The largest number of taps. A further one replaces the oldest.
    package static let maximumTaps = 16

    let recogniser: Recogniser
    package private(set) var options: AnalyserOptions
    var models: FrameModels?
    /// The detector's labels. Empty without a detector.
    private var boxLabels: Set<String> = []
    var tracker: MultiObjectTracker?
    private var votes = OutputVotes()
    private var stability = LabelStability()
    var names: RegionNames?
    /// The version of the classifier that the votes and the evidence come from. It may be swapped between two frames.
    private var version: ModelReference?
    var evidence: [Int: RegionEvidence] = [:]
    var rejected = RejectedPlaces()
    var numbers = ShownNumbers()
    var budget: LookBudget
    var taps = FollowedTaps(limit: maximumTaps)
    /// The object that the user pointed at, if any.
    var pointed: PointedThing?

    package init(recogniser: Recogniser, options: AnalyserOptions = AnalyserOptions()) {
        self.recogniser = recogniser
        self.options = options
        budget = LookBudget(isLive: options.priority == .interactive)
    }

    /// Applies new options from the next frame on. New models or heads restart the votes. Tracks survive unless the
    /// detector changes.
    ///
    /// - Throws: `RecognitionError` if a model does not exist. Nothing has changed then.
    package func apply(_ options: AnalyserOptions) async throws {
        let models = try await recogniser.frameModels(options.model, detects: options.detects)
        let labels = try await recogniser.labels(of: models).boxes
        if options.head != self.options.head || options.crop != self.options.crop { forgetAnswers() }
        if models.detector != self.models?.detector {
            tracker = nil
            (evidence, rejected, numbers) = ([:], RejectedPlaces(), ShownNumbers())
            taps.leaveTracks()
        }
        self.models = models
        boxLabels = labels
        self.options = options
    }

    /// Forgets what the classifier has answered, because it now answers differently.
    private func forgetAnswers() {
        votes = OutputVotes()
        stability = LabelStability()
        (evidence, rejected) = ([:], RejectedPlaces())
        taps.forgetLooks()
    }

    /// Follows a point or region. It replaces a tap with the same id.
    package func follow(_ tap: Tap) { taps.follow(tap) }

    /// - Returns: whether the tap existed.
    @discardableResult package func forget(tap id: String) -> Bool { taps.forget(id) }

    /// Runs the models on the next frame and evaluates the result.
    ///
    /// - Parameter milliseconds: the frame's time since the start of the stream.
    /// - Throws: `ImagingError` if the frame is at fault, ``RecognitionError``, or `CancellationError`. The tracks and
    ///   votes are then unchanged.
    package func analyse(_ source: FrameSource, atMilliseconds milliseconds: Double) async throws -> FrameAnswer {
        try await analyse(try await infer(source), of: source, atMilliseconds: milliseconds)
    }

    /// Runs the models on one frame. Frames may come in any order and several at a time. Afterwards
    /// ``analyse(_:of:atMilliseconds:)`` evaluates the results in the order of the frames.
    ///
    /// - Throws: `ImagingError` if the frame is at fault, ``RecognitionError``, or `CancellationError`.
    package func infer(_ source: FrameSource) async throws -> FrameInference {
        // Another model may have become the default, which a stream without a model of its own follows.
        if models?.defaultModel != recogniser.defaultModel { try await apply(options) }
        guard let models else { throw RecognitionError.stopped }
        return try await recogniser.infer(source, with: models, options: frameOptions)
    }

    /// Evaluates the models' results for the next frame.
    ///
    /// - Parameters:
    ///   - source: the frame itself. Crops of its animals are classified too.
    ///   - milliseconds: the frame's time since the start of the stream.
    /// - Throws: `ImagingError` if the frame is at fault, ``RecognitionError``, or `CancellationError`. The tracks and
    ///   votes are then unchanged.
    package func analyse(
        _ inference: FrameInference, of source: FrameSource, atMilliseconds milliseconds: Double
    ) async throws -> FrameAnswer {
        guard let models else { throw RecognitionError.stopped }
        let result = recogniser.result(of: inference, votes: votes)
        if result.version != version {
            forgetAnswers()
            (version, names) = (result.version, result.names)
        }
        let before = (votes, stability, tracker, evidence, pointed)
        votes = result.votes
        decide(result.fused, atMilliseconds: milliseconds)
        let objects = track(result, atMilliseconds: milliseconds)
        let faint = Set(objects.filter { $0.isFaint(least: Double(result.confidence)) }.map(\.track))
        let credible = objects.filter { !faint.contains($0.track) }
        budget.advance(toMilliseconds: milliseconds)
        var closer: [Timing]
        do {
            closer = try await classify(due(objects, result, milliseconds), of: result, source, models, milliseconds)
            taps.place(among: credible.filter(isShown))
            let places = taps.due(in: result.frame.info, consensus: options.consensus, atMilliseconds: milliseconds)
            closer += try await classify(places.map(Subject.tap), of: result, source, models, milliseconds)
            try await seek(objects, result, source, models, milliseconds)
        } catch {
            (votes, stability, tracker, evidence, pointed) = before
            throw error
        }
        return FrameAnswer(
            atMilliseconds: milliseconds, classification: result.fused, single: result.classification,
            stable: stability.current, boxes: shown(credible, in: result.frame.info),
            doubtful: credible.filter { $0.isConfirmed && $0.isInSight && !isShown($0) }.compactMap(box(of:)),
            faint: faint,
            taps: taps.labels(among: tracker?.objects ?? [], numbers) { self.evidence[$0.track] },
            pointed: pointed.map { PointedAnswer(label: $0.appearance.label, place: $0.place) },
            timing: closer.reduce(result.timing) { $0.adding($1) }, boxLabels: boxLabels)
    }

    /// The options for the models, with a deadline that begins now.
    var frameOptions: FrameOptions {
        FrameOptions(
            crop: options.crop, head: options.head, requiredHeads: options.requiredHeads, memory: options.memory,
            priority: options.priority, deadline: .now + options.patience)
    }

    // MARK: Votes

    private func decide(_ fused: Classification, atMilliseconds milliseconds: Double) {
        let first = fused.abstained ? nil : fused.predictions(1).first
        let current = stability.current.flatMap { current in
            fused.answer(of: current.head)?.confidence(of: current.label).map(Double.init)
        }
        stability.update(
            first.map { .init(label: $0.label, head: fused.head, confidence: Double($0.confidence)) },
            currentConfidence: current, consensus: options.consensus, atMilliseconds: milliseconds)
    }
}
