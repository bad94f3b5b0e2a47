import Base
import Imaging
package import Recognition
import Scans
import Tracking

/// Looks at the frames of one stream, from a camera or a file: boxes become tracks, tracked cats and dogs get their breeds,
/// and what the frames show is voted on. Give it one frame at a time, in order.
package actor FrameAnalyser {
    /// Taps that are followed at a time; the oldest makes room for another.
    package static let maximumTaps = 16
    /// Closer looks in one frame at most: what is new comes first, and a herd does not hold up the stream.
    private static let maximumLooks = 3
    /// Margin around a box before it is classified, as a share of its longer side.
    private static let margin = 0.1
    private static let breedHeads = ["cat": "cats", "dog": "dogs"]

    private let recogniser: Recogniser
    package private(set) var options: AnalyserOptions
    private var models: FrameModels?
    /// What the detector may find; empty without one.
    private var boxLabels: Set<String> = []
    private var tracker: MultiObjectTracker?
    private var votes = OutputVotes()
    private var stability = LabelStability()
    private var looks: [Int: CloserLooks] = [:]
    private var taps = FollowedTaps(limit: maximumTaps)

    package init(recogniser: Recogniser, options: AnalyserOptions = AnalyserOptions()) {
        self.recogniser = recogniser
        self.options = options
    }

    /// Takes other options from the next frame on. With other models or heads the votes begin anew; tracks stay while the
    /// detector does.
    ///
    /// - Throws: `RecognitionError` for a model that is not there; nothing has changed then.
    package func apply(_ options: AnalyserOptions) async throws {
        let models = try await recogniser.frameModels(options.model, detects: options.detects)
        var labels: [String] = []
        if let detector = models.detector {
            labels = try await recogniser.models.withModel(detector) { $0.manifest.detection?.labels ?? [] }
        }
        if models.classifier != self.models?.classifier || options.head != self.options.head
            || options.crop != self.options.crop
        {
            votes = OutputVotes()
            stability = LabelStability()
            looks = [:]
            taps.forgetLooks()
        }
        if models.detector != self.models?.detector {
            tracker = nil
            looks = [:]
            taps.leaveTracks()
        }
        self.models = models
        boxLabels = Set(labels)
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
    package func look(at source: FrameSource, atMilliseconds milliseconds: Double) async throws -> FrameAnswer {
        try await look(at: try await see(source), of: source, atMilliseconds: milliseconds)
    }

    /// Has the models see a frame by itself. Frames may be seen in any order and several at a time; then
    /// ``look(at:of:atMilliseconds:)`` takes them in their order.
    ///
    /// - Throws: `ImagingError` when the frame is at fault, ``RecognitionError``, or `CancellationError`.
    package func see(_ source: FrameSource) async throws -> FrameSight {
        if models == nil { try await apply(options) }
        guard let models else { throw RecognitionError.stopped }
        return try await recogniser.see(source, with: models, options: frameOptions)
    }

    /// Looks at the next frame, of which the models have been asked.
    ///
    /// - Parameters:
    ///   - source: the frame itself, which is looked at closer where it shows animals.
    ///   - milliseconds: when it was taken, since the stream began.
    /// - Throws: `ImagingError` when the frame is at fault, ``RecognitionError``, or `CancellationError`; the tracks and
    ///   votes are then as they were.
    package func look(
        at sight: FrameSight, of source: FrameSource, atMilliseconds milliseconds: Double
    ) async throws -> FrameAnswer {
        guard let models else { throw RecognitionError.stopped }
        let before = (votes, stability, tracker)
        let look = recogniser.look(at: sight, votes: votes)
        votes = look.votes
        decide(look.fused, atMilliseconds: milliseconds)
        let objects = track(look, atMilliseconds: milliseconds)
        taps.place(among: objects)
        let closer: Timing?
        do {
            closer = try await lookCloser(look.frame, source, objects, models, frameOptions, milliseconds)
        } catch {
            (votes, stability, tracker) = before
            throw error
        }
        return FrameAnswer(
            atMilliseconds: milliseconds, classification: look.fused, single: look.classification,
            stable: stability.current, boxes: objects.compactMap(box),
            taps: taps.labels(among: tracker?.objects ?? [], ofTrack: name, ofPlace: Self.name),
            timing: closer.map(look.timing.adding) ?? look.timing, boxLabels: boxLabels)
    }

    /// What is wanted of the models now.
    private var frameOptions: FrameOptions {
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

    // MARK: Tracks

    private func track(_ look: FrameLook, atMilliseconds milliseconds: Double) -> [TrackedObject] {
        guard models?.detector != nil else { return [] }
        let sure = Double(look.confidence)
        var tracker =
            tracker
            ?? MultiObjectTracker(
                options: TrackingOptions(
                    highConfidence: sure, lowConfidence: sure * Double(FrameOptions().doubt), newTrackConfidence: sure))
        let objects = tracker.update(
            look.boxes.map {
                Observation(box: BoundingBox($0.region), label: $0.label, confidence: Double($0.confidence))
            }, atMilliseconds: milliseconds)
        self.tracker = tracker
        let known = Set(tracker.objects.map(\.track))
        looks = looks.filter { known.contains($0.key) }
        taps.keep(tracks: known)
        return objects
    }

    private func box(_ object: TrackedObject) -> TrackedBox? {
        let seen = object.observed ?? object.box
        let region = PictureRegion(
            left: seen.x, top: seen.y, right: seen.x + seen.width, bottom: seen.y + seen.height)
        guard region.area > 0 else { return nil }
        let classification = looks[object.track]?.classification
        let breeds = Self.breedHeads[object.label].flatMap { classification?.answer(of: $0) }
        return TrackedBox(object: object, region: region, breeds: breeds, classification: classification)
    }

    // MARK: Closer looks

    /// What is looked at closer: a track, or a tapped place.
    private enum Subject {
        case track(TrackedObject)
        case tap(String)
    }

    /// - Returns: what it took; nil where nothing was due.
    private func lookCloser(
        _ frame: Frame, _ source: FrameSource, _ objects: [TrackedObject], _ models: FrameModels,
        _ frameOptions: FrameOptions, _ milliseconds: Double
    ) async throws -> Timing? {
        var options = frameOptions
        options.head = nil
        let subjects = due(objects, atMilliseconds: milliseconds)
        let parts = subjects.map { FramePart(region: region(of: $0, in: frame.info), votes: votes(for: $0)) }
        let results = try await recogniser.look(
            closerAt: parts, of: frame, from: source, with: models, options: options)
        for (subject, result) in zip(subjects, results) {
            switch subject {
            case .track(let object):
                looks[object.track, default: CloserLooks()].take(
                    result, head: Self.breedHeads[object.label], area: object.box.area, atMilliseconds: milliseconds)
            case .tap(let id): taps.take(result, of: id, atMilliseconds: milliseconds)
            }
        }
        return results.map(\.classification.timing).reduce(nil) { $0?.adding($1) ?? $1 }
    }

    private func votes(for subject: Subject) -> OutputVotes {
        switch subject {
        case .track(let object): looks[object.track]?.votes ?? OutputVotes()
        case .tap(let id): taps.votes(for: id)
        }
    }

    /// What was looked at least comes first.
    private func due(_ objects: [TrackedObject], atMilliseconds milliseconds: Double) -> [Subject] {
        let tapped = taps.tracks
        let tracks = objects.filter { object in
            let isAnimal = options.findsBreeds && object.isConfirmed && Self.breedHeads[object.label] != nil
            guard isAnimal || tapped.contains(object.track) else { return false }
            return (looks[object.track] ?? CloserLooks()).isDue(
                area: object.box.area, consensus: options.consensus, atMilliseconds: milliseconds)
        }
        let places = taps.due(consensus: options.consensus, atMilliseconds: milliseconds)
        let all =
            places.map { (count: $0.count, subject: Subject.tap($0.id)) }
            + tracks.map { (count: looks[$0.track]?.count ?? 0, subject: Subject.track($0)) }
        // Among equals the order stays: `sorted` is stable.
        return all.sorted { $0.count < $1.count }.prefix(Self.maximumLooks).map(\.subject)
    }

    private func region(of subject: Subject, in image: ImageInfo) -> PictureRegion {
        switch subject {
        case .track(let object):
            let box = object.observed ?? object.box
            return PictureRegion(left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height)
                .square(margin: Self.margin, inWidth: image.width, height: image.height)
        case .tap(let id): return taps.region(of: id, in: image)
        }
    }

    // MARK: Names

    /// The breed of a cat or dog, otherwise what the classifier is sure of, otherwise what the detector says.
    private func name(of object: TrackedObject) -> TrackName {
        let seen = looks[object.track]?.classification
        if let head = Self.breedHeads[object.label], let breed = seen?.answer(of: head)?.first {
            return TrackName(label: breed.label, head: head, confidence: Double(breed.confidence))
        }
        if let seen, !seen.abstained, ["zoo", "cats", "dogs", "fruit"].contains(seen.head), let name = Self.name(seen) {
            return name
        }
        return TrackName(label: object.label, head: nil, confidence: object.confidence)
    }

    private static func name(_ classification: Classification) -> TrackName? {
        classification.predictions(1).first.map {
            TrackName(label: $0.label, head: classification.head, confidence: Double($0.confidence))
        }
    }
}

extension BoundingBox {
    init(_ region: PictureRegion) {
        self.init(x: region.x, y: region.y, width: region.width, height: region.height)
    }
}
