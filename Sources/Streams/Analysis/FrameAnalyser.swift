import Base
import Imaging
package import Recognition

/// Looks at the frames of one stream, from a camera or a file: boxes become tracks, tracks get their names by what detector
/// and classifier say of them over time, and what the frames show is voted on. Give it one frame at a time, in order.
package actor FrameAnalyser {
    /// Taps that are followed at a time; the oldest makes room for another.
    package static let maximumTaps = 16

    let recogniser: Recogniser
    package private(set) var options: AnalyserOptions
    var models: FrameModels?
    /// What the detector may find; empty without one.
    private var boxLabels: Set<String> = []
    var tracker: MultiObjectTracker?
    private var votes = OutputVotes()
    private var stability = LabelStability()
    var names: RegionNames?
    var evidence: [Int: RegionEvidence] = [:]
    var rejected = RejectedPlaces()
    var budget: LookBudget
    var taps = FollowedTaps(limit: maximumTaps)
    /// What somebody pointed at; nil where nobody did.
    var pointed: PointedThing?

    package init(recogniser: Recogniser, options: AnalyserOptions = AnalyserOptions()) {
        self.recogniser = recogniser
        self.options = options
        budget = LookBudget(isLive: options.priority != .bulk)
    }

    /// Takes other options from the next frame on. With other models or heads the votes begin anew; tracks stay while the
    /// detector does.
    ///
    /// - Throws: `RecognitionError` for a model that is not there; nothing has changed then.
    package func apply(_ options: AnalyserOptions) async throws {
        let models = try await recogniser.frameModels(options.model, detects: options.detects)
        let labels = try await recogniser.labels(of: models).boxes
        let names = try await recogniser.regionNames(of: models)
        if models.classifier != self.models?.classifier || options.head != self.options.head
            || options.crop != self.options.crop
        {
            votes = OutputVotes()
            stability = LabelStability()
            (evidence, rejected) = ([:], RejectedPlaces())
            taps.forgetLooks()
        }
        if models.detector != self.models?.detector {
            tracker = nil
            (evidence, rejected) = ([:], RejectedPlaces())
            taps.leaveTracks()
        }
        self.models = models
        boxLabels = labels
        self.names = names
        self.options = options
    }

    /// Follows a point or region; one of the same name is replaced.
    package func follow(_ tap: Tap) { taps.follow(tap) }

    /// Follows a tap no longer.
    ///
    /// - Returns: whether there was one of that name.
    @discardableResult package func forget(tap id: String) -> Bool { taps.forget(id) }

    /// Looks at the next frame.
    ///
    /// - Parameter milliseconds: when it was taken, since the stream began.
    /// - Throws: `ImagingError` when the frame is at fault, ``RecognitionError``, or `CancellationError`; the tracks and
    ///   votes are then as they were.
    package func analyse(_ source: FrameSource, atMilliseconds milliseconds: Double) async throws -> FrameAnswer {
        try await analyse(try await infer(source), of: source, atMilliseconds: milliseconds)
    }

    /// Has the models see a frame by itself. Frames may be seen in any order and several at a time; then
    /// ``analyse(_:of:atMilliseconds:)`` takes them in their order.
    ///
    /// - Throws: `ImagingError` when the frame is at fault, ``RecognitionError``, or `CancellationError`.
    package func infer(_ source: FrameSource) async throws -> FrameInference {
        if models == nil { try await apply(options) }
        guard let models else { throw RecognitionError.stopped }
        return try await recogniser.infer(source, with: models, options: frameOptions)
    }

    /// Looks at the next frame, of which the models have been asked.
    ///
    /// - Parameters:
    ///   - source: the frame itself, which is looked at closer where it shows animals.
    ///   - milliseconds: when it was taken, since the stream began.
    /// - Throws: `ImagingError` when the frame is at fault, ``RecognitionError``, or `CancellationError`; the tracks and
    ///   votes are then as they were.
    package func analyse(
        _ inference: FrameInference, of source: FrameSource, atMilliseconds milliseconds: Double
    ) async throws -> FrameAnswer {
        guard let models else { throw RecognitionError.stopped }
        let before = (votes, stability, tracker, evidence, pointed)
        let result = recogniser.result(of: inference, votes: votes)
        votes = result.votes
        decide(result.fused, atMilliseconds: milliseconds)
        let objects = track(result, atMilliseconds: milliseconds)
        budget.advance(toMilliseconds: milliseconds)
        var closer: Timing?
        do {
            closer = try await classify(due(objects, result, milliseconds), of: result, source, models, milliseconds)
            taps.place(among: objects.filter(isShown))
            let places = taps.due(in: result.frame.info, consensus: options.consensus, atMilliseconds: milliseconds)
            let tapped = try await classify(
                places.map(Subject.tap), of: result, source, models, milliseconds)
            closer = tapped.map { closer?.adding($0) ?? $0 } ?? closer
            try await seek(objects, result, source, models, milliseconds)
        } catch {
            (votes, stability, tracker, evidence, pointed) = before
            throw error
        }
        return FrameAnswer(
            atMilliseconds: milliseconds, classification: result.fused, single: result.classification,
            stable: stability.current, boxes: shown(objects),
            taps: taps.labels(among: tracker?.objects ?? []) { self.evidence[$0.track] },
            pointed: pointed.map { PointedAnswer(label: $0.appearance.label, place: $0.place) },
            timing: closer.map(result.timing.adding) ?? result.timing, boxLabels: boxLabels)
    }

    /// What is wanted of the models now.
    var frameOptions: FrameOptions {
        var frameOptions = FrameOptions(
            crop: options.crop, head: options.head, requiredHeads: options.requiredHeads, memory: options.memory,
            priority: options.priority)
        frameOptions.deadline = .now + options.patience
        return frameOptions
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

extension BoundingBox {
    init(_ region: PictureRegion) {
        self.init(x: region.x, y: region.y, width: region.width, height: region.height)
    }
}
