import Base
package import Imaging

/// From a network's outputs for the whole and the tiles of one photo to boxes in the photo.
package struct Detector: Sendable {
    /// One picture that the network saw.
    package struct View: Sendable {
        /// 0 for the whole photo.
        let number: Int
        /// The part of the photo that was asked for.
        let region: PictureRegion
        let placement: PicturePlacement

        package init(number: Int, region: PictureRegion, placement: PicturePlacement) {
            self.number = number
            self.region = region
            self.placement = placement
        }
    }

    /// Share of the usual confidence that an animal far away is shown from.
    static let farConfidence: Float = 0.8

    /// Share of the usual confidence that a small animal of no certain name is shown from: stones look like one.
    static let smallUnnamed: Float = 1.4

    /// Share of the photo up to which an animal is small.
    static let smallShare = 0.05

    package let detection: ModelManifest.Detection
    /// Index of the boxes' tensor in `ModelOutput.values`.
    package let output: Int
    private let decoder: BoxDecoder

    /// - Throws: `RecognitionError.brokenModel(name:fault:reason:)` when the network has no such output.
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
    ///   - candidates: those of all views.
    ///   - limit: boxes to give at most, the surest.
    package func boxes(among candidates: [NonMaximumSuppression.Candidate], limit: Int) -> [DetectedBox] {
        let kept = NonMaximumSuppression.keep(
            candidates, overlap: detection.overlap, limit: min(limit, detection.maximumBoxes),
            sure: detection.confidence)
        return kept.map {
            DetectedBox(
                region: $0.region, label: detection.labels[$0.label], confidence: $0.confidence, isFar: $0.view != 0)
        }
    }

    /// Boxes of which none shows the same thing as another, whatever their class, each with what every class has there.
    ///
    /// - Parameters:
    ///   - candidates: those of all views, with their scores.
    ///   - limit: boxes to give at most, the surest.
    ///   - least: what an animal's place needs of any animal.
    package func places(
        among candidates: [NonMaximumSuppression.Candidate], limit: Int, from least: Float
    ) -> [DetectedBox] {
        let kept = NonMaximumSuppression.places(
            candidates, labels: detection.labels, overlap: detection.overlap, limit: limit, sure: detection.confidence,
            from: least)
        return kept.indices.sorted { (kept[$1].confidence, $0) < (kept[$0].confidence, $1) }.prefix(limit).map {
            DetectedBox(
                region: kept[$0].region, label: detection.labels[kept[$0].label], confidence: kept[$0].confidence,
                isFar: kept[$0].view != 0,
                scores: DetectorScores(labels: detection.labels, scores: kept[$0].scores))
        }
    }

    /// From which confidence on what is seen in tiles may be shown where nobody says.
    package var leastFar: Float { detection.confidence * Self.farConfidence }

    /// From which confidence on a box is shown where nobody says. What is far away is small and looks less sure; things
    /// there are mistaken for others too easily, animals that have a name seldom are.
    package func leastShown(_ box: DetectedBox) -> Float {
        let isUnnamed = (box.label == Animals.other || box.label == RegionNames.animal) && box.name.kind == nil
        if isUnnamed { return detection.confidence * (box.region.area < Self.smallShare ? Self.smallUnnamed : 1) }
        let isNamed = Animals.labels.contains(box.label)
        return box.isFar && isNamed ? leastFar : detection.confidence
    }

    /// Likelihood from which on an animal's name speaks for a box that the detector hardly sees, and the share of the usual
    /// confidence that such a box needs.
    private static let clear = (likelihood: Float(0.9), share: Float(0.5))

    /// Share of a box that may lie in others that are shown, for it to be apart from them.
    private static let apart = 0.3

    /// The boxes that are shown where nobody says from which confidence on, in their order: what is sure, and besides what
    /// surely is an animal and no part of another.
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

    /// Boxes with their final names, the surest first, without those that turned out to show the same thing as another.
    package func settled(_ boxes: [DetectedBox]) -> [DetectedBox] {
        // What is seen surely goes first: a part that is surely a cat's is no cat of its own.
        func worth(_ box: DetectedBox) -> Float { box.confidence * box.strength }
        let order = boxes.indices.sorted { (worth(boxes[$1]), $0) < (worth(boxes[$0]), $1) }
        var kept: [DetectedBox] = []
        for index in order {
            let box = boxes[index]
            let family = Animals.family(of: box.label)
            let isSame = kept.contains { other in
                let both = other.region.overlap(with: box.region)
                guard family == Animals.family(of: other.label) else {
                    // What is known to be an animal is no thing besides.
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
        return kept.indices.sorted { (kept[$1].confidence, $0) < (kept[$0].confidence, $1) }.map { kept[$0] }
    }

    /// Share of the usual confidence from which on a classifier is asked about what is seen in a tile: in the many tiles
    /// of a large photo the detector has many whims.
    static let farDoubt: Float = 0.6

    /// From which confidence on a classifier is asked about what is seen in tiles.
    package var leastFarAsked: Float { detection.confidence * Self.farDoubt }

    /// Whether an animal or a person in the whole photo is what the photo is about. An animal of no certain name may be a
    /// stone before the classifier was asked.
    package func seesSomethingNear(among candidates: [NonMaximumSuppression.Candidate]) -> Bool {
        candidates.contains {
            let label = detection.labels[$0.label]
            return $0.confidence >= detection.confidence && $0.region.area >= Tiling.nearShare
                && (label == "person" || Animals.labels.contains(label) && label != Animals.other)
        }
    }

    /// - Parameters:
    ///   - values: the output with the boxes.
    ///   - threshold: least confidence, 0…1; nil: as the manifest says.
    ///   - scored: whether each candidate comes with what the network gives to every class.
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
