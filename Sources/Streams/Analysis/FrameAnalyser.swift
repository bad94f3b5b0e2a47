import Base
import Imaging
package import Recognition

/// Looks at the frames of one stream, from a camera or a file: boxes become tracks, tracks get their names by what detector
/// and classifier say of them over time, and what the frames show is voted on. Give it one frame at a time, in order.
package actor FrameAnalyser {
    /// Taps that are followed at a time; the oldest makes room for another.
    package static let maximumTaps = 16
    /// Closer looks in one frame at most: a herd does not hold up the stream.
    private static let maximumLooks = 4
    /// Margin around a box before it is classified, as a share of its longer side.
    private static let margin = 0.1
    /// Overlap with the square that the classifier sees of every frame, from which on its answer about that holds for a part.
    private static let mostOfFrame = 0.7
    /// What may be an animal is looked at closer: this much of one the detector sees, or it doubts what it sees.
    private static let leastAnimal: Float = 0.06
    private static let doubt: Float = 0.6
    /// Sights after which something is shown that could not be looked at yet.
    private static let patience = 4

    private let recogniser: Recogniser
    package private(set) var options: AnalyserOptions
    private var models: FrameModels?
    /// What the detector may find; empty without one.
    private var boxLabels: Set<String> = []
    private var tracker: MultiObjectTracker?
    private var votes = OutputVotes()
    private var stability = LabelStability()
    private var names: RegionNames?
    private var evidence: [Int: RegionEvidence] = [:]
    private var rejected = RejectedPlaces()
    private var budget: LookBudget
    private var taps = FollowedTaps(limit: maximumTaps)

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
        let before = (votes, stability, tracker, evidence)
        let look = recogniser.look(at: sight, votes: votes)
        votes = look.votes
        decide(look.fused, atMilliseconds: milliseconds)
        let objects = track(look, atMilliseconds: milliseconds)
        budget.advance(toMilliseconds: milliseconds)
        var closer: Timing?
        do {
            closer = try await lookCloser(at: due(objects, look, milliseconds), look, source, models, milliseconds)
            taps.place(among: objects.filter(isShown))
            let places = taps.due(in: look.frame.info, consensus: options.consensus, atMilliseconds: milliseconds)
            let tapped = try await lookCloser(
                at: places.map(Subject.tap), look, source, models, milliseconds)
            closer = tapped.map { closer?.adding($0) ?? $0 } ?? closer
        } catch {
            (votes, stability, tracker, evidence) = before
            throw error
        }
        return FrameAnswer(
            atMilliseconds: milliseconds, classification: look.fused, single: look.classification,
            stable: stability.current, boxes: shown(objects),
            taps: taps.labels(among: tracker?.objects ?? []) { self.evidence[$0.track] },
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
                Observation(
                    box: BoundingBox($0.region), label: Animals.family(of: $0.label),
                    confidence: Double($0.confidence))
            }, atMilliseconds: milliseconds)
        for object in self.tracker?.objects ?? [] where !tracker.objects.contains(where: { $0.track == object.track }) {
            if let known = evidence.removeValue(forKey: object.track) {
                rejected.add(object.box, known, atMilliseconds: milliseconds)
            }
        }
        self.tracker = tracker
        for object in objects {
            guard let index = object.observation else { continue }
            var known =
                evidence[object.track] ?? rejected.evidence(at: object.box, atMilliseconds: milliseconds)
                ?? RegionEvidence()
            known.see(look.boxes[index])
            known.decide(by: names)
            evidence[object.track] = known
        }
        let known = Set(tracker.objects.map(\.track))
        evidence = evidence.filter { known.contains($0.key) }
        taps.keep(tracks: known)
        return objects
    }

    /// The tracks that are believed, each animal and thing once.
    private func shown(_ objects: [TrackedObject]) -> [TrackedBox] {
        let believed = objects.filter(isShown).compactMap { object -> (box: TrackedBox, strength: Float)? in
            guard let known = evidence[object.track], let name = known.name else { return nil }
            let region = region(of: object)
            guard region.area > 0 else { return nil }
            // What is followed for long is no part that flickers up.
            let age = Float(min(object.sightings, Self.settled)) / Float(Self.settled)
            let box = TrackedBox(object: object, region: region, name: name, classification: known.classification)
            return (box, known.strength * (0.5 + 0.5 * age))
        }.sorted { ($1.strength, $0.box.object.track) < ($0.strength, $1.box.object.track) }
        var kept: [TrackedBox] = []
        for (box, _) in believed where !kept.contains(where: { Self.isSame(box, as: $0) }) { kept.append(box) }
        return kept.sorted { $0.object.track < $1.object.track }
    }

    /// Sightings after which a track counts in full.
    private static let settled = 10

    /// Whether a box shows what a surer one shows, or a part of it.
    private static func isSame(_ box: TrackedBox, as other: TrackedBox) -> Bool {
        guard Animals.family(of: other.name.label) == Animals.family(of: box.name.label) else { return false }
        return other.region.overlap(with: box.region) > samePlace
            || box.region.area < other.region.area
                && other.region.intersection(with: box.region) > inside * box.region.area
    }

    /// Intersection over union, and share that lies in the other, from which on two boxes of one family are one.
    private static let samePlace = 0.5
    private static let inside = 0.8

    /// A track is believed once it is no whim of the detector, and the classifier, where it has a say, does not contradict.
    private func isShown(_ object: TrackedObject) -> Bool {
        guard object.isConfirmed, let known = evidence[object.track], known.isShown else { return false }
        return known.looks > 0 || !needsLook(known) || object.sightings >= Self.patience
    }

    /// Whether the classifier has something to say of it.
    private func needsLook(_ known: RegionEvidence) -> Bool {
        guard options.findsBreeds, let names, let scores = known.scores, let best = scores.likeliest,
            names.knows(scores.labels[best]), !scores.isHolder
        else { return false }
        return scores.animal >= Self.leastAnimal && scores.labels[best] != "person" || scores.scores[best] < Self.doubt
    }

    private func region(of object: TrackedObject) -> PictureRegion {
        let box = object.observed ?? object.box
        return PictureRegion(left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height)
    }

    // MARK: Closer looks

    /// What is looked at closer: a track, or a tapped place.
    private enum Subject {
        case track(TrackedObject)
        case tap(FollowedTaps.Place)
    }

    /// The tracks that are to be looked at now: what was looked at least first, the largest of equals.
    private func due(_ objects: [TrackedObject], _ look: FrameLook, _ milliseconds: Double) -> [Subject] {
        let tapped = taps.tracks
        let tracks = objects.filter { object in
            guard object.isConfirmed, let known = evidence[object.track] else { return false }
            guard needsLook(known) || tapped.contains(object.track) else { return false }
            return known.isDue(area: object.box.area, consensus: options.consensus, atMilliseconds: milliseconds)
        }
        return tracks.sorted { one, other in
            let (first, second) = (evidence[one.track]?.looks ?? 0, evidence[other.track]?.looks ?? 0)
            return (first, -one.box.area) < (second, -other.box.area)
        }.map(Subject.track)
    }

    /// - Returns: what it took; nil where nothing was due.
    private func lookCloser(
        at subjects: [Subject], _ look: FrameLook, _ source: FrameSource, _ models: FrameModels, _ milliseconds: Double
    ) async throws -> Timing? {
        var options = frameOptions
        options.head = nil
        let image = look.frame.info
        var (paid, parts): ([Subject], [FramePart]) = ([], [])
        for subject in subjects {
            let part = part(for: subject, in: image)
            if case .track(let object) = subject, isMostOfFrame(part.region, image) {
                take(
                    recogniser.look(look, asThatAt: part, options: options), of: .track(object), part, image,
                    milliseconds)
                continue
            }
            let isTap = if case .tap = subject { true } else { false }
            guard parts.count < Self.maximumLooks, isTap || parts.count < budget.affordable else { continue }
            paid.append(subject)
            parts.append(part)
        }
        guard !parts.isEmpty else { return nil }
        let start = ContinuousClock.now
        let results = try await recogniser.look(
            closerAt: parts, of: look.frame, from: source, with: models, options: options)
        budget.pay(for: parts.count, milliseconds: (ContinuousClock.now - start) / .milliseconds(1))
        for (index, result) in results.enumerated() {
            take(result, of: paid[index], parts[index], image, milliseconds)
        }
        return results.map(\.classification.timing).reduce(nil) { $0?.adding($1) ?? $1 }
    }

    private func take(
        _ look: FramePartLook, of subject: Subject, _ part: FramePart, _ image: ImageInfo, _ milliseconds: Double
    ) {
        let side = Float(part.region.longerSide(inWidth: image.width, height: image.height))
        switch subject {
        case .track(let object):
            guard var known = evidence[object.track] else { return }
            let isOther = known.take(
                look, side: side, area: object.box.area, by: names, atMilliseconds: milliseconds)
            if isOther, let number = tracker?.renew(object.track) {
                (evidence[object.track], evidence[number]) = (nil, known.renewed())
            } else {
                known.decide(by: names)
                evidence[object.track] = known
            }
        case .tap(let place): taps.take(look, of: place, side: side, by: names, atMilliseconds: milliseconds)
        }
    }

    private func part(for subject: Subject, in image: ImageInfo) -> FramePart {
        switch subject {
        case .track(let object):
            let square = region(of: object).square(margin: Self.margin, inWidth: image.width, height: image.height)
            let side = Float(square.longerSide(inWidth: image.width, height: image.height))
            return FramePart(
                region: square, votes: evidence[object.track]?.votes ?? OutputVotes(),
                weight: RegionEvidence.weight(ofSide: side))
        case .tap(let place): return FramePart(region: place.region, votes: place.votes)
        }
    }

    /// Whether the classifier has seen the part already, when it looked at the frame.
    private func isMostOfFrame(_ region: PictureRegion, _ image: ImageInfo) -> Bool {
        guard options.crop == nil || options.crop == .center else { return false }
        let middle = PictureRegion(x: 0.5, y: 0.5, width: 0, height: 0)
        let side = Double(min(image.width, image.height))
        let (across, down) = (side / Double(image.width), side / Double(image.height))
        let seen = PictureRegion(
            x: middle.x - across / 2, y: middle.y - down / 2, width: across, height: down)
        return seen.overlap(with: region) >= Self.mostOfFrame
    }
}

extension BoundingBox {
    init(_ region: PictureRegion) {
        self.init(x: region.x, y: region.y, width: region.width, height: region.height)
    }
}
