import Base
import Imaging
package import Recognition

/// The place of the object that the user pointed at, in one frame.
package struct PointedAnswer: Sendable {
    /// The label of the object's laps.
    package let label: String
    /// Nil while the object is out of sight.
    package let place: PointedThing.Place?
}

/// The user can point at an object, even one without a name. The analyser then finds it in every later frame.
extension FrameAnalyser {
    /// The least confidence for using a name as the label of laps.
    private static let named: Float = 0.5

    /// Learns the appearance of the object under a tap. Its extent is the detected box at that point, otherwise the
    /// area of similar colour.
    ///
    /// - Returns: nil if no object can be distinguished there.
    /// - Throws: `ImagingError` if the frame is at fault, ``RecognitionError``, or `CancellationError`.
    package func appearance(ofThingAt tap: Tap, in source: FrameSource) async throws -> ThingAppearance? {
        let result = recogniser.result(of: try await infer(source))
        guard let models else { throw RecognitionError.stopped }
        let picture = result.frame.picture(Self.smallPicture(of: result.frame.info)).pixels
        // A user who points at an animal on a sofa does not mean the sofa.
        let sure = result.boxes.filter { box in
            box.confidence >= result.confidence
                && (box.scores?.isHolder != true || Animals.family(of: box.label) == "vehicle")
        }
        guard var thing = ThingAppearance(at: tap, in: picture, boxes: sure.map(\.region)) else {
            return nil
        }
        let closer = try await classify(thing.box, margin: thing.margin, result.frame, source, models)
        thing.learn(closer?.classification.features)
        let box = sure.first { $0.region == thing.box }
        if let names = result.names, let closer {
            let info = result.frame.info
            let side = Float(thing.box.clipped.longerSide(inWidth: info.width, height: info.height))
            let name = names.name(detector: box?.scores, heads: closer.single, side: side)
            if name.confidence >= Self.named, box != nil || Animals.labels.contains(name.label) {
                thing.label = name.label
            }
        } else if let box {
            thing.label = box.label
        }
        return thing
    }

    /// Searches all later frames for an object. Nil ends the search.
    ///
    /// - Parameter now: the time of the frame in which the user pointed, in milliseconds of the stream. Nil if that
    ///   frame is not part of the stream.
    package func seek(_ thing: ThingAppearance?, inSightAtMilliseconds now: Double? = nil) {
        pointed = thing.map(PointedThing.init)
        if let now { pointed?.begin(atMilliseconds: now) }
    }

    /// Searches one frame for the object.
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
        _ box: PictureRegion, margin: Double, _ frame: Frame, _ source: FrameSource, _ models: FrameModels
    ) async throws -> FramePartResult? {
        let square = box.clipped.square(margin: margin, inWidth: frame.info.width, height: frame.info.height)
        return try await recogniser.classify(
            [FramePart(region: square)], of: frame, from: source, with: models, options: frameOptions
        ).first
    }
}

extension PictureRegion {
    /// A square around a point, which may lie beyond the edges of the picture.
    ///
    /// - Parameter share: the side of the square, as a share of the picture's shorter side.
    init(squareAroundX x: Double, y: Double, share: Double, in image: ImageInfo) {
        let side = share * Double(min(image.width, image.height))
        let (width, height) = (side / Double(image.width), side / Double(image.height))
        self.init(x: x - width / 2, y: y - height / 2, width: width, height: height)
    }
}
