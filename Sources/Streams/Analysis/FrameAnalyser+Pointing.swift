import Base
import Imaging
package import Recognition

/// Where a thing that somebody pointed at is in a frame.
package struct PointedAnswer: Sendable {
    /// What laps of it are called.
    package let label: String
    /// nil where it is not in sight.
    package let place: PointedThing.Place?
}

/// A thing that somebody points at is looked for in every frame from then on, whether it has a name or not.
extension FrameAnalyser {
    /// How likely a name has to be for laps to be called by it.
    private static let named: Float = 0.5

    /// What a thing in a frame looks like, so that it can be looked for: in the box of a detector that covers the point, and
    /// otherwise where its colour reaches.
    ///
    /// - Returns: nil where nothing can be told apart at the point.
    /// - Throws: `ImagingError` when the frame is at fault, ``RecognitionError``, or `CancellationError`.
    package func appearance(ofThingAt tap: Tap, in source: FrameSource) async throws -> ThingAppearance? {
        let result = recogniser.result(of: try await infer(source))
        guard let models else { throw RecognitionError.stopped }
        let picture = result.frame.picture(Self.smallPicture(of: result.frame.info)).pixels
        // Whoever points at what lies on a sofa does not mean the sofa.
        let sure = result.boxes.filter { box in
            box.confidence >= result.confidence
                && (box.scores?.isHolder != true || Animals.family(of: box.label) == "vehicle")
        }
        guard var thing = ThingAppearance(at: tap, in: picture, boxes: sure.map { BoundingBox($0.region) }) else {
            return nil
        }
        let closer = try await classify(thing.box, margin: thing.margin, result.frame, source, models)
        thing.learn(closer?.classification.features)
        let box = sure.first { BoundingBox($0.region) == thing.box }
        if let names, let closer {
            let side = Float(
                PictureRegion(thing.box).longerSide(inWidth: result.frame.info.width, height: result.frame.info.height))
            let name = names.name(detector: box?.scores, heads: closer.single, side: side)
            if name.confidence >= Self.named, box != nil || Animals.labels.contains(name.label) {
                thing.label = name.label
            }
        } else if let box {
            thing.label = box.label
        }
        return thing
    }

    /// Looks for a thing in all frames that follow; nil: for none.
    ///
    /// - Parameter now: of the frame in which it was pointed at, in milliseconds of the stream; nil where that is not one of it.
    package func seek(_ thing: ThingAppearance?, inSightAtMilliseconds now: Double? = nil) {
        pointed = thing.map(PointedThing.init)
        if let now { pointed?.begin(atMilliseconds: now) }
    }

    /// Looks for it in one frame.
    func seek(
        _ objects: [TrackedObject], _ result: FrameResult, _ source: FrameSource, _ models: FrameModels,
        _ milliseconds: Double
    ) async throws {
        guard var thing = pointed else { return }
        let picture = result.frame.picture(Self.smallPicture(of: result.frame.info)).pixels
        let sights = objects.compactMap { object in
            object.observed.map {
                PointedThing.Sight(
                    track: object.track, box: $0, features: evidence[object.track]?.classification?.features)
            }
        }
        if let question = thing.update(picture, sights, atMilliseconds: milliseconds) {
            let closer = try await classify(question.box, margin: thing.appearance.margin, result.frame, source, models)
            thing.take(closer?.classification.features, to: question, in: picture, atMilliseconds: milliseconds)
        }
        pointed = thing
    }

    private func classify(
        _ box: BoundingBox, margin: Double, _ frame: Frame, _ source: FrameSource, _ models: FrameModels
    ) async throws -> FramePartResult? {
        var options = frameOptions
        options.head = nil
        let square = PictureRegion(box).square(margin: margin, inWidth: frame.info.width, height: frame.info.height)
        return try await recogniser.classify(
            [FramePart(region: square)], of: frame, from: source, with: models, options: options
        ).first
    }
}

extension PictureRegion {
    /// The part of a box that lies within the picture, in fractions of it.
    init(_ box: BoundingBox) {
        self.init(left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height)
    }
}
