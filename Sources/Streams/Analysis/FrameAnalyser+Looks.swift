import Base
import Imaging
import Recognition

/// Classifies crops of a frame: around tracks and at tapped places.
extension FrameAnalyser {
    /// The most crops that one frame classifies, so that many animals do not delay the stream.
    private static let maximumLooks = 4
    /// The classifier sees the central square of every frame. A crop that overlaps it this much (intersection over
    /// union) takes that answer.
    private static let mostOfFrame = 0.7

    enum Subject {
        case track(TrackedObject)
        case tap(FollowedTaps.Place)
    }

    /// The tracks whose crops should be classified now: the least often classified first, then the largest.
    func due(_ objects: [TrackedObject], _ result: FrameResult, _ milliseconds: Double) -> [Subject] {
        let tapped = taps.tracks
        let tracks = objects.filter { object in
            guard object.isConfirmed, let known = evidence[object.track] else { return false }
            guard needsLook(known) || tapped.contains(object.track) else { return false }
            if !tapped.contains(object.track), showsAnimal(around: object, known, result) { return false }
            return known.isDue(area: object.box.area, consensus: options.consensus, atMilliseconds: milliseconds)
        }
        return tracks.sorted { one, other in
            let (first, second) = (evidence[one.track]?.looks ?? 0, evidence[other.track]?.looks ?? 0)
            return (first, -one.box.area) < (second, -other.box.area)
        }.map(Subject.track)
    }

    /// Whether the crop around a person also shows a sure animal.
    private func showsAnimal(around object: TrackedObject, _ known: RegionEvidence, _ result: FrameResult) -> Bool {
        guard let scores = known.scores else { return false }
        return RegionNames.showsAnimal(
            part(for: .track(object), in: result.frame.info).region, around: region(of: object), scores,
            among: result.boxes.filter { $0.confidence >= result.confidence })
    }

    /// - Returns: the times of the classified crops.
    func classify(
        _ subjects: [Subject], of whole: FrameResult, _ source: FrameSource, _ models: FrameModels,
        _ milliseconds: Double
    ) async throws -> [Timing] {
        let options = frameOptions
        let image = whole.frame.info
        var (paid, parts): ([Subject], [FramePart]) = ([], [])
        for subject in subjects {
            let part = part(for: subject, in: image)
            if case .track(let object) = subject, isMostOfFrame(part.region, image) {
                take(
                    recogniser.result(of: part, asWhole: whole, options: options), of: .track(object), part, image,
                    milliseconds)
                continue
            }
            let isTap = if case .tap = subject { true } else { false }
            guard parts.count < Self.maximumLooks, isTap || parts.count < budget.affordable else { continue }
            paid.append(subject)
            parts.append(part)
        }
        guard !parts.isEmpty else { return [] }
        let start = ContinuousClock.now
        let results = try await recogniser.classify(
            parts, of: whole.frame, from: source, with: models, options: options)
        budget.pay(for: parts.count, milliseconds: (ContinuousClock.now - start) / .milliseconds(1))
        for (index, result) in results.enumerated() {
            take(result, of: paid[index], parts[index], image, milliseconds)
        }
        return results.map(\.classification.timing)
    }

    private func take(
        _ result: FramePartResult, of subject: Subject, _ part: FramePart, _ image: ImageInfo, _ milliseconds: Double
    ) {
        let side = Float(part.region.longerSide(inWidth: image.width, height: image.height))
        switch subject {
        case .track(let object):
            guard var known = evidence[object.track] else { return }
            let isOther = known.take(result, side: side, area: object.box.area, by: names, atMilliseconds: milliseconds)
            if isOther, let number = tracker?.renew(object.track) {
                (evidence[object.track], evidence[number]) = (nil, known.renewed())
            } else {
                known.decide(by: names)
                evidence[object.track] = known
            }
        case .tap(let place): taps.take(result, of: place, side: side, by: names, atMilliseconds: milliseconds)
        }
    }

    private func part(for subject: Subject, in image: ImageInfo) -> FramePart {
        switch subject {
        case .track(let object):
            let square = region(of: object).square(
                margin: RegionNames.margin, inWidth: image.width, height: image.height)
            let side = Float(square.longerSide(inWidth: image.width, height: image.height))
            return FramePart(
                region: square, votes: evidence[object.track]?.votes ?? OutputVotes(),
                weight: RegionNames.detail(ofSide: side))
        case .tap(let place): return FramePart(region: place.region, votes: place.votes)
        }
    }

    /// Whether the classifier has already seen this part as the frame's central square.
    private func isMostOfFrame(_ region: PictureRegion, _ image: ImageInfo) -> Bool {
        guard options.crop == nil || options.crop == .center else { return false }
        let seen = PictureRegion(squareAroundX: 0.5, y: 0.5, share: 1, in: image)
        return seen.overlap(with: region) >= Self.mostOfFrame
    }
}
