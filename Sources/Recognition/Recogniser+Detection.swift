import Base
package import Heads
import Imaging
import Inference
import Models
import Scans

extension Recogniser {
    /// The heads that know the breeds of what a detector calls by these names.
    private static let breedHeads = ["cat": "cats", "dog": "dogs"]

    /// Heads that have a say in what animal a box shows.
    private static let deciding: Set<String> = ["presence", "kinds", "cats", "dogs"]

    /// What is added around a box before it is classified, as a share of its longer side: the classifier learnt from
    /// photos in which an animal has some room.
    private static let margin = 0.1

    /// Finds what is in a photo, and the breeds of the cats and dogs among it. The request counts as one photo for
    /// admission.
    ///
    /// - Parameters:
    ///   - photo: the file as received, in any readable format.
    ///   - model: `name` or `name@version`; nil: the configured detector, our own, or the only one in the folder of models.
    /// - Throws: `ImagingError` when the photo is at fault, `RecognitionError`, or `CancellationError`.
    package func detect(
        _ photo: [UInt8], model name: String? = nil, options: DetectionOptions = DetectionOptions()
    ) async throws -> Detection {
        let reference = try await detector(name)
        let owner = try takePermit(for: reference.name)
        defer { returnPermit(of: owner) }
        return try await search(photo, with: reference, options: options)
    }

    /// As ``detect(_:model:options:)``, within the permit that the caller has.
    ///
    /// - Parameter isBegun: whether another model has looked at the photo already.
    func search(
        _ photo: [UInt8], with reference: ModelReference, isBegun: Bool = false, options: DetectionOptions
    ) async throws -> Detection {
        let classifier = try? models.model(defaultModel)
        guard options.findsBreeds, let classifier, classifier.manifest.task == .classification else {
            return try await models.withModel(reference) { model in
                try await detect(photo, with: model, isBegun: isBegun, options: options)
            }
        }
        let hasPresence = classifier.headNames.contains("presence")
        return try await models.withModel(reference) { model in
            var detection = try await detect(
                photo, with: model, isBegun: isBegun, options: options, secondNames: hasPresence)
            guard let detector = model.detector else { return detection }
            try await models.withModel(try ModelReference(defaultModel)) { classifier in
                try await decide(in: &detection, of: detector, photo, with: classifier, options: options)
            }
            return detection
        }
    }

    /// - Parameter secondNames: whether an animal has a box for every name that it may have, each as sure as it is before
    ///   a classifier was asked; there may then be more boxes than the options allow.
    func detect(
        _ photo: [UInt8], with model: LoadedModel, isBegun: Bool, options: DetectionOptions,
        secondNames: Bool = false
    ) async throws -> Detection {
        guard model.manifest.task == .detection else {
            throw RecognitionError.wrongTask(
                name: model.manifest.name, task: model.manifest.task, wanted: .detection)
        }
        guard let detector = model.detector else { throw RecognitionError.noBoxes(model.manifest.name) }
        func search(
            _ regions: [PictureRegion], from number: Int, _ options: DetectionOptions, _ threshold: Float?
        ) async throws -> RegionRun<[NonMaximumSuppression.Candidate]> {
            try await answers(
                for: regions, of: photo, model: model, crop: nil, isBegun: isBegun || number > 0, options: options
            ) {
                index, placement, output in
                let view = Detector.View(number: number + index, region: regions[index], placement: placement)
                return detector.candidates(
                    in: output.values[detector.output], of: view, from: threshold, secondNames: secondNames)
            }
        }
        var regions = [PictureRegion.whole]
        if case .along(let count) = options.tiles {
            regions = Tiling.regions(min(max(1, count), Tiling.maximumCount))
        }
        let run = try await search(regions, from: 0, options, options.threshold)
        var (candidates, timing) = (run.answers.flatMap(\.self), run.timing)
        if options.tiles == .automatic, !detector.seesSomethingNear(among: candidates) {
            let input = model.manifest.input
            let tiles = Tiling.automatic(
                width: run.image.width, height: run.image.height, side: max(input.width, input.height))
            if !tiles.isEmpty {
                var later = options
                later.priority = .bulk
                let threshold = options.threshold ?? detector.leastFar(isAsked: secondNames)
                let closer = try await search(tiles, from: 1, later, threshold)
                candidates += closer.answers.flatMap(\.self)
                timing = timing.adding(closer.timing)
            }
        }
        let boxes = detector.boxes(among: candidates, limit: detector.detection.maximumBoxes)
            .filter { $0.confidence >= options.threshold ?? detector.leastShown($0, isAsked: secondNames) }
        return Detection(
            image: run.image, boxes: secondNames ? boxes : Array(boxes.prefix(options.limit)),
            modelName: model.manifest.name, modelVersion: model.manifest.version, timing: timing)
    }

    /// Has the classifier look at each animal: what it says weighs the names that the animal may have, and the heads
    /// of cats and dogs name breeds.
    ///
    private func decide(
        in detection: inout Detection, of detector: Detector, _ photo: [UInt8], with model: LoadedModel,
        options: DetectionOptions
    ) async throws {
        let places = Animals.places(of: detection.boxes)
        guard model.manifest.task == .classification, !places.isEmpty else {
            detection.boxes = Array(detection.boxes.prefix(options.limit))
            return
        }
        let image = detection.image
        let regions = places.map {
            $0.region.square(margin: Self.margin, inWidth: image.width, height: image.height)
        }
        let run = try await answers(
            for: regions, of: photo, model: model, crop: .center, isBegun: true, options: options
        ) { _, _, output in
            model.heads.answers(to: output).filter { Self.deciding.contains($0.name) }
        }
        for index in detection.boxes.indices where Animals.labels.contains(detection.boxes[index].label) {
            let box = detection.boxes[index]
            let near = places.indices.map { ($0, places[$0].region.overlap(with: box.region)) }
                .max { $0.1 < $1.1 }
            guard let (place, overlap) = near, overlap > Animals.nearPlace else { continue }
            let heads = run.answers[place]
            if let presence = heads.first(where: { $0.name == "presence" }) {
                detection.boxes[index].confidence = Animals.confidence(
                    of: box, by: presence, kinds: heads.first { $0.name == "kinds" })
            }
            detection.boxes[index].breeds = heads.first { $0.name == Self.breedHeads[box.label] }
        }
        // Of more animals than it looks at the classifier says nothing, and then there are no breeds.
        func leastShown(_ box: DetectedBox) -> Float { detector.leastShown(box, isAsked: box.breeds != nil) }
        let decided = Animals.decided(detection.boxes, below: leastShown)
            .filter { $0.confidence >= options.threshold ?? leastShown($0) }
        detection.boxes = Array(decided.prefix(options.limit))
        detection.timing = detection.timing.adding(run.timing)
    }

    /// What a network says of some parts of a photo.
    private struct RegionRun<Answer> {
        let image: ImageInfo
        /// In the order of the regions.
        let answers: [Answer]
        let timing: Timing
    }

    /// Decodes a photo once and has a network answer for some parts of it, no more at a time than it has lanes: one
    /// request does not fill the queue.
    ///
    /// - Parameter read: makes an answer of a region's output, so that no outputs pile up.
    private func answers<Answer: Sendable>(
        for regions: [PictureRegion], of photo: [UInt8], model: LoadedModel, crop: CropPolicy?, isBegun: Bool,
        options: DetectionOptions,
        _ read: @escaping @Sendable (_ index: Int, _ placement: PicturePlacement, _ output: ModelOutput) -> Answer
    ) async throws -> RegionRun<Answer> {
        let input = model.manifest.input
        let requests = regions.map { input.decodeRequest(crop: crop, region: $0) }
        let decoded = try await model.line.run(
            isBegun: isBegun, priority: options.priority, deadline: options.deadline
        ) { [self] lane in
            let start = ContinuousClock.now
            let (pictures, info) = try decoder.decode(photo, requests)
            let cut = pictures.map { input.cut($0) }
            let seconds = (ContinuousClock.now - start).seconds
            tellDecoded(by: model, waited: lane.turn.queueSeconds, since: start, seconds: seconds)
            // A single part needs no other lane.
            let inference = cut.count == 1 ? try lane.infer(cut[0].pixels.bytes) : nil
            return DecodedRegions(
                pictures: cut, image: info, inference: inference,
                timing: Timing(
                    decode: seconds * 1000,
                    queue: inference == nil ? lane.turn.queueSeconds * 1000 : 0, inference: 0,
                    batchSize: 1))
        }
        let pictures = decoded.pictures
        func answer(_ index: Int, _ result: ModelLine.Inference) -> (answer: Answer, timing: Timing) {
            (read(index, pictures[index].placement, result.output), result.timing)
        }
        let results =
            if let inference = decoded.inference {
                [answer(0, inference)]
            } else {
                try await pictures.indices.concurrentMap(atOnce: self.options.engine.lanes) { index in
                    let result = try await model.line.submit(
                        pictures[index].pixels.bytes, isBegun: true, priority: options.priority,
                        deadline: options.deadline)
                    return (answer: read(index, pictures[index].placement, result.output), timing: result.timing)
                }
            }
        return RegionRun(
            image: decoded.image, answers: results.map(\.answer),
            timing: results.reduce(decoded.timing) { $0.adding($1.timing) })
    }

    /// Parts of a photo as the network takes them.
    private struct DecodedRegions: Sendable {
        let pictures: [DecodedPicture]
        let image: ImageInfo
        /// Of the only part; nil where there are more.
        let inference: ModelLine.Inference?
        let timing: Timing
    }

    /// The detector of our own, which lies beside the default model and answers where no other was chosen.
    package static let ownDetector = "menagerie_boxes"

    /// The model that a request means.
    func detector(_ name: String?) async throws -> ModelReference {
        if let name = name ?? options.detectionModel { return try ModelReference(name) }
        let detectors = try await models.detectors()
        if detectors.contains(Self.ownDetector) { return ModelReference(name: Self.ownDetector) }
        guard detectors.count == 1 else { throw RecognitionError.noDetector(among: detectors) }
        return ModelReference(name: detectors[0])
    }
}
