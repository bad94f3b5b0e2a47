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
    ///   - model: `name` or `name@version`; nil: the configured detector, or the only one in the folder of models.
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

    private func detect(
        _ photo: [UInt8], with model: LoadedModel, options: DetectionOptions
    ) async throws -> Detection {
        guard model.manifest.task == .detection else {
            throw RecognitionError.wrongTask(
                name: model.manifest.name, task: model.manifest.task, wanted: .detection)
        }
        guard let detector = model.detector else { throw RecognitionError.noBoxes(model.manifest.name) }
        let regions = Tiling.regions(options.tiles)
        let run = try await outputs(for: regions, of: photo, model: model, crop: nil, options: options)
        let views = zip(regions, run.results).map { region, result in
            Detector.View(region: region, placement: result.placement, values: result.output.values[detector.output])
        }
        return Detection(
            image: run.image, boxes: detector.boxes(in: views, from: options.threshold, limit: options.limit),
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
        let run = try await outputs(for: regions, of: photo, model: model, crop: .center, options: options)
        for (index, result) in zip(known, run.results) {
            let head = Self.breedHeads[detection.boxes[index].label]
            detection.boxes[index].breeds = model.heads.answers(to: result.output).first { $0.name == head }
        }
        detection.timing = detection.timing.adding(run.timing)
    }

    /// What a network says of some parts of a photo, which is decoded once.
    private struct RegionRun {
        let image: ImageInfo
        /// In the order of the regions.
        let results: [(placement: PicturePlacement, output: ModelOutput)]
        let timing: Classification.Timing
    }

    private func outputs(
        for regions: [PictureRegion], of photo: [UInt8], model: LoadedModel, crop: CropPolicy?,
        options: DetectionOptions
    ) async throws -> RegionRun {
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
        let inference = ClassificationOptions(priority: options.priority, deadline: options.deadline)
        let inferences = try await Self.inOrder(decoded.pictures) {
            try await model.submit($0.pixels.bytes, inference)
        }
        return RegionRun(
            image: decoded.info,
            results: zip(decoded.pictures, inferences).map { ($0.placement, $1.output) },
            timing: Classification.Timing(
                decodeMilliseconds: decoded.seconds * 1000,
                queueMilliseconds: (waited + (inferences.map(\.queueSeconds).max() ?? 0)) * 1000,
                inferenceMilliseconds: inferences.reduce(0) { $0 + $1.inferenceSeconds } * 1000,
                batchSize: inferences.map(\.batchSize).max() ?? 1))
    }

    /// The model that a request means.
    private func detector(_ name: String?) async throws -> ModelReference {
        if let name = name ?? options.detectionModel { return try ModelReference(name) }
        let detectors = try await models.detectors()
        guard detectors.count == 1 else { throw RecognitionError.noDetector(among: detectors) }
        return ModelReference(name: detectors[0])
    }
}
