import Base
import Imaging

/// Converts a network's outputs for a photo and its tiles to boxes in the photo.
package struct Detector: Sendable {
    /// A part of the photo that the network examines.
    package struct View: Sendable {
        /// 0 for the whole photo, from 1 on for tiles.
        let number: Int
        /// The requested part of the photo.
        let region: PictureRegion
        let placement: PicturePlacement
    }

    /// The share of the usual least confidence for an animal in a tile.
    static let farConfidence: Float = 0.8

    /// The share of the usual least confidence for a small animal without a certain name. Stones look like such
    /// animals.
    static let smallUnnamed: Float = 1.4

    /// The largest share of the photo that a small animal covers.
    static let smallShare = 0.05

    package let detection: ModelManifest.Detection
    /// The index of the boxes' tensor in `ModelOutput.values`.
    package let output: Int
    private let decoder: BoxDecoder

    /// - Throws: `RecognitionError.brokenModel(name:fault:reason:)` if the network has no such output.
    package init(
        _ detection: ModelManifest.Detection, of manifest: ModelManifest, engine: any InferenceEngine
    ) throws(RecognitionError) {
        func broken(_ reason: String) -> RecognitionError {
            .brokenModel(name: manifest.name, fault: .outputs, reason: reason)
        }
        let name = detection.output
        guard let output = engine.outputNames.firstIndex(of: name) else {
            throw broken("there is no output \"\(name)\"")
        }
        let (width, height) = (manifest.input.width, manifest.input.height)
        let sides = engine.outputShapes[output]
        let boxes = (detection.decoder == .yolov9 ? sides.last : sides.first) ?? 0
        let decoder = BoxDecoder(detection, width: width, height: height, boxes: boxes)
        let expected = BoxDecoder.shape(
            detection.decoder, strides: detection.strides, width: width, height: height, boxes: boxes)
        let shape = expected.map { $0 ?? detection.labels.count + detection.decoder.offset }
        guard engine.outputSizes[output] == decoder.size, engine.outputShapes[output] == shape else {
            throw broken(
                "output \"\(name)\" has the shape \(engine.outputShapes[output]); boxes of \(detection.decoder.rawValue) "
                    + "with \(detection.labels.count) classes have \(shape)")
        }
        self.detection = detection
        self.output = output
        self.decoder = decoder
    }

    /// - Parameters:
    ///   - candidates: the candidates of all views.
    ///   - limit: the largest number of boxes. The surest are kept.
    package func boxes(among candidates: [NonMaximumSuppression.Candidate], limit: Int) -> [DetectedBox] {
        let kept = NonMaximumSuppression.keep(
            candidates, overlap: detection.overlap, limit: min(limit, detection.maximumBoxes),
            sure: detection.confidence)
        return kept.map {
            DetectedBox(
                region: $0.region, label: detection.labels[$0.label], confidence: $0.confidence, isFar: $0.view != 0)
        }
    }

    /// Finds boxes that all show different objects, each with the scores of all classes.
    ///
    /// - Parameters:
    ///   - candidates: the scored candidates of all views.
    ///   - limit: the largest number of boxes. The surest are kept.
    ///   - least: the least score of any animal class for an animal's box.
    package func places(
        among candidates: [NonMaximumSuppression.Candidate], limit: Int, from least: Float
    ) -> [DetectedBox] {
        let kept = NonMaximumSuppression.places(
            candidates, labels: detection.labels, overlap: detection.overlap, limit: limit, sure: detection.confidence,
            from: least)
        return kept.sorted { $0.confidence > $1.confidence }.prefix(limit).map {
            DetectedBox(
                region: $0.region, label: detection.labels[$0.label], confidence: $0.confidence, isFar: $0.view != 0,
                scores: DetectorScores(labels: detection.labels, scores: $0.scores))
        }
    }

    /// The default least confidence for a box in a tile.
    package var leastFar: Float { detection.confidence * Self.farConfidence }

    /// The default least confidence for a box. Distant animals score less, so those with a name need less. Distant
    /// objects are often mistaken, so they do not.
    package func leastShown(_ box: DetectedBox) -> Float {
        let isUnnamed = (box.label == Animals.other || box.label == RegionNames.animal) && box.name.kind == nil
        if isUnnamed { return detection.confidence * (box.region.area < Self.smallShare ? Self.smallUnnamed : 1) }
        let isNamed = Animals.labels.contains(box.label)
        return box.isFar && isNamed ? leastFar : detection.confidence
    }

    /// From this likelihood on, an animal's name makes up for a low detector score. The box then needs only this share
    /// of the usual confidence.
    private static let clear = (likelihood: Float(0.9), share: Float(0.5))

    /// The largest share of a box that may lie in other shown boxes, for the rule above.
    private static let apart = 0.3

    /// The boxes that are shown by default, in their order: the sure ones, and weaker ones that clearly show a separate
    /// animal.
    package func shown(of boxes: [DetectedBox]) -> [DetectedBox] {
        var animals: [PictureRegion] = []
        func isClear(_ box: DetectedBox) -> Bool {
            Animals.labels.contains(box.label) && !box.isFar && box.name.likelihood >= Self.clear.likelihood
                && box.confidence >= detection.confidence * Self.clear.share
                && animals.allSatisfy { $0.intersection(with: box.region) < Self.apart * min($0.area, box.region.area) }
        }
        return boxes.filter { box in
            guard box.confidence >= leastShown(box) || isClear(box) else { return false }
            if Animals.labels.contains(box.label) { animals.append(box.region) }
            return true
        }
    }

    /// Removes the boxes that turn out to show the same object as another, now that the names are final. The surest
    /// come first.
    package func settled(_ boxes: [DetectedBox]) -> [DetectedBox] {
        // The best boxes go first. A part of a cat is then recognised as belonging to the whole cat.
        func worth(_ box: DetectedBox) -> Float { box.confidence * box.strength }
        var kept: [DetectedBox] = []
        for box in boxes.sorted(by: { worth($0) > worth($1) }) {
            let family = Animals.family(of: box.label)
            let isSame = kept.contains { other in
                let both = other.region.overlap(with: box.region)
                guard family == Animals.family(of: other.label) else {
                    // An animal is not also an object of another kind.
                    let isAnimal = Animals.labels.contains(other.label) && box.label != Decision.person
                    return isAnimal && both > detection.overlap
                }
                if both > detection.overlap { return true }
                return box.region.area < other.region.area
                    && box.strength < other.strength
                    && other.region.intersection(with: box.region) > NonMaximumSuppression.inside * box.region.area
            }
            if !isSame { kept.append(box) }
        }
        return kept.sorted { $0.confidence > $1.confidence }
    }

    /// The share of the usual least confidence for a tile's box to be checked by the classifier. A large photo has many
    /// tiles, and so many false detections.
    static let farDoubt: Float = 0.6

    /// The least confidence for a tile's box to be checked by the classifier.
    package var leastFarAsked: Float { detection.confidence * Self.farDoubt }

    /// Whether the whole photo has a large animal or person, so that tiles are unnecessary. An animal without a certain
    /// name does not count, since it may be a stone.
    package func seesSomethingNear(among candidates: [NonMaximumSuppression.Candidate]) -> Bool {
        candidates.contains {
            let label = detection.labels[$0.label]
            return $0.confidence >= detection.confidence && $0.region.area >= Tiling.nearShare
                && (label == Decision.person || Animals.labels.contains(label) && label != Animals.other)
        }
    }

    /// Does the same for boxes that the classifier has named.
    func showsSomethingNear(_ boxes: [DetectedBox]) -> Bool {
        boxes.contains {
            $0.confidence >= detection.confidence && $0.region.area >= Tiling.nearShare
                && ($0.label == Decision.person || Animals.family(of: $0.label) == RegionNames.animal)
        }
    }

    /// - Parameters:
    ///   - values: the output with the boxes.
    ///   - threshold: the least confidence, 0…1. Nil takes the manifest's.
    ///   - scored: whether each candidate carries the scores of all classes.
    package func candidates(
        in values: [Float], of view: View, from threshold: Float?, scored: Bool = false
    ) -> [NonMaximumSuppression.Candidate] {
        let placement = view.placement
        return decoder.boxes(
            in: values, from: threshold ?? detection.confidence, scored: scored
        ).compactMap { box in
            let region = PictureRegion(
                left: placement.x(Double(box.left)), top: placement.y(Double(box.top)),
                right: placement.x(Double(box.right)), bottom: placement.y(Double(box.bottom)))
            guard region.area > 0, region.area.isFinite, !Tiling.isCut(region, by: view.region) else { return nil }
            return NonMaximumSuppression.Candidate(
                region: region, label: box.label, confidence: box.confidence, view: view.number, scores: box.scores)
        }
    }
}
