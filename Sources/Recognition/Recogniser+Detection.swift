import Base
import Imaging

extension Recogniser {
    /// The heads that know the breeds of what a detector calls by these names.
    private static let breedHeads = ["cat": "cats", "dog": "dogs"]

    /// What is added around a box before it is classified, as a share of its longer side: the classifier learnt from
    /// photos in which an animal has some room.
    private static let margin = 0.1

    /// Finds what is in a photo, and the breeds of the cats and dogs among it. The request counts as one photo for
    /// admission.
    ///
    /// - Parameters:
    ///   - photo: the file as received, in any readable format.
    ///   - model: `name` or `name@version`; nil: the configured detector, our own, or the only one in the folder of models.
    /// - Throws: ``ImagingError`` when the photo is at fault, ``RecognitionError``, or `CancellationError`.
    package func detect(
        _ photo: [UInt8], model name: String? = nil, options: DetectionOptions = DetectionOptions()
    ) async throws -> Detection {
        let reference = try await detector(name)
        let owner = try takePermit(for: reference.name)
        defer { returnPermit(of: owner) }
        var detection = try await models.withModel(reference) { model in
            try await detect(photo, with: model, options: options)
        }
        let animals = detection.boxes.indices.filter { Self.breedHeads[detection.boxes[$0].label] != nil }
        guard options.findsBreeds, !animals.isEmpty else { return detection }
        try await models.withModel(try ModelReference(defaultModel)) { model in
            try await findBreeds(of: animals, in: &detection, photo, with: model, options: options)
        }
        return detection
    }

    func detect(
        _ photo: [UInt8], with model: LoadedModel, options: DetectionOptions
    ) async throws -> Detection {
        guard model.manifest.task == .detection else {
            throw RecognitionError.wrongTask(
                name: model.manifest.name, task: model.manifest.task, wanted: .detection)
        }
        guard let detector = model.detector else { throw RecognitionError.noBoxes(model.manifest.name) }
        let regions = Tiling.regions(options.tiles)
        let run = try await answers(for: regions, of: photo, model: model, crop: nil, options: options) {
            index, placement, output in
            let view = Detector.View(number: index, region: regions[index], placement: placement)
            return detector.candidates(in: output.values[detector.output], of: view, from: options.threshold)
        }
        return Detection(
            image: run.image, boxes: detector.boxes(among: run.answers.flatMap(\.self), limit: options.limit),
            modelName: model.manifest.name, modelVersion: model.manifest.version, timing: run.timing)
    }

    /// Looks at each animal once more, at the classifier's size.
    private func findBreeds(
        of animals: [Int], in detection: inout Detection, _ photo: [UInt8], with model: LoadedModel,
        options: DetectionOptions
    ) async throws {
        let known = animals.filter { index in
            Self.breedHeads[detection.boxes[index].label].map(model.headNames.contains) ?? false
        }
        guard model.manifest.task == .classification, !known.isEmpty else { return }
        let image = detection.image
        let regions = known.map {
            detection.boxes[$0].region.square(margin: Self.margin, inWidth: image.width, height: image.height)
        }
        let heads = known.map { Self.breedHeads[detection.boxes[$0].label] }
        let run = try await answers(for: regions, of: photo, model: model, crop: .center, options: options) {
            index, _, output in model.heads.answers(to: output).first { $0.name == heads[index] }
        }
        for (index, breeds) in zip(known, run.answers) { detection.boxes[index].breeds = breeds }
        detection.timing = detection.timing.adding(run.timing)
    }

    /// What a network says of some parts of a photo.
    private struct RegionRun<Answer> {
        let image: ImageInfo
        /// In the order of the regions.
        let answers: [Answer]
        let timing: Classification.Timing
    }

    /// Decodes a photo once and has a network answer for some parts of it, no more at a time than it has lanes: one
    /// request does not fill the queue.
    ///
    /// - Parameter read: makes an answer of a region's output, so that no outputs pile up.
    private func answers<Answer: Sendable>(
        for regions: [PictureRegion], of photo: [UInt8], model: LoadedModel, crop: CropPolicy?,
        options: DetectionOptions,
        _ read: @escaping @Sendable (_ index: Int, _ placement: PicturePlacement, _ output: ModelOutput) -> Answer
    ) async throws -> RegionRun<Answer> {
        let input = model.manifest.input
        let requests = regions.map { input.decodeRequest(crop: crop, region: $0) }
        let arrival = ContinuousClock.now
        let decoded = try await pool.run(
            in: model.manifest.name, priority: options.priority, deadline: options.deadline
        ) { [decoder] in
            let start = ContinuousClock.now
            let (pictures, info) = try decoder.decode(photo, requests)
            let cut = pictures.map { input.cut($0) }
            return (pictures: cut, info: info, start: start, seconds: (ContinuousClock.now - start).seconds)
        }
        let waited = (decoded.start - arrival).seconds
        observer.waitedToDecode(seconds: waited)
        observer.decoded(seconds: decoded.seconds)
        model.statistics.decoded(seconds: decoded.seconds)
        let inference = ClassificationOptions(priority: options.priority, deadline: options.deadline)
        let pictures = decoded.pictures
        let results = try await pictures.indices.concurrentMap(atOnce: self.options.engine.lanes) { index in
            let result = try await model.submit(pictures[index].pixels.bytes, inference)
            let timing = Classification.Timing(
                decodeMilliseconds: 0, queueMilliseconds: result.queueSeconds * 1000,
                inferenceMilliseconds: result.inferenceSeconds * 1000, batchSize: result.batchSize)
            return (answer: read(index, pictures[index].placement, result.output), timing: timing)
        }
        let start = Classification.Timing(
            decodeMilliseconds: decoded.seconds * 1000, queueMilliseconds: waited * 1000, inferenceMilliseconds: 0,
            batchSize: 1)
        return RegionRun(
            image: decoded.info, answers: results.map(\.answer),
            timing: results.reduce(start) { $0.adding($1.timing) })
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
