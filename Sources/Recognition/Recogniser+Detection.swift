import Base
import Imaging

extension Recogniser {
    /// The least share of the detector's threshold for asking the classifier about a box. It may know what the detector
    /// hardly sees.
    private static let doubt: Float = 0.3

    /// The most boxes that the classifier checks. The likeliest animals come first.
    private static let maximumChecks = 20

    /// The classifier also checks a box without a likely animal if it covers this share of the photo and is not a
    /// person's.
    private static let largeShare = 0.1

    /// Finds the objects in a photo, and the breeds of its cats and dogs. It counts as one photo for admission.
    ///
    /// - Parameters:
    ///   - photo: the file as received, in any readable format.
    ///   - model: `name` or `name@version`. Nil takes the configured detector, the embedded one, or the folder's only
    ///     one.
    /// - Throws: `ImagingError` if the photo is at fault, `RecognitionError`, or `CancellationError`.
    package func detect(
        _ photo: [UInt8], model name: String? = nil, options: DetectionOptions = DetectionOptions()
    ) async throws -> Detection {
        let reference = try await detector(name)
        let owner = try takePermit(for: reference.name)
        defer { returnPermit(of: owner) }
        return try await detect(photo, with: reference, options: options)
    }

    /// Does the same as ``detect(_:model:options:)`` within the caller's permit.
    ///
    /// - Parameter isBegun: whether another model has processed the photo already.
    func detect(
        _ photo: [UInt8], with reference: ModelReference, isBegun: Bool = false, options: DetectionOptions
    ) async throws -> Detection {
        let classifier = try? models.model(defaultModel)
        guard options.findsBreeds, let classifier, classifier.manifest.task == .classification else {
            return try await models.withModel(reference) { model in
                try await detect(photo, with: model, isBegun: isBegun, options: options)
            }
        }
        return try await models.withModel(reference) { model in
            try await models.withModel(try ModelReference(defaultModel)) { classifier in
                try await detect(
                    photo, with: model, isBegun: isBegun, options: options,
                    asking: classifier.regions == nil ? nil : classifier)
            }
        }
    }

    /// - Parameter classifier: checks and names the boxes. Nil leaves that to the detector.
    func detect(
        _ photo: [UInt8], with model: LoadedModel, isBegun: Bool, options: DetectionOptions,
        asking classifier: LoadedModel? = nil
    ) async throws -> Detection {
        try model.manifest.require(.detection)
        guard let detector = model.detector else { throw RecognitionError.noBoxes(model.manifest.name) }
        let isAsked = classifier != nil
        let shown = options.threshold ?? detector.detection.confidence
        let least = isAsked ? min(shown, detector.detection.confidence * Self.doubt) : options.threshold
        var regions = [PictureRegion.whole]
        if case .along(let count) = options.tiles {
            regions = Tiling.regions(min(max(1, count), Tiling.maximumCount))
        }
        func candidates(
            from number: Int, _ options: DetectionOptions, _ threshold: Float?
        ) async throws -> RegionRun<[NonMaximumSuppression.Candidate]> {
            let regions = Array(regions[number...])
            return try await answers(
                for: regions, of: photo, model: model, crop: nil, isBegun: isBegun || number > 0, options: options
            ) {
                index, placement, output in
                let view = Detector.View(number: number + index, region: regions[index], placement: placement)
                return detector.candidates(
                    in: output.values[detector.output], of: view, from: threshold, scored: isAsked)
            }
        }
        let run = try await candidates(from: 0, options, least)
        let image = run.image
        var (found, timing) = (run.answers.flatMap(\.self), run.timing)
        func detection() async throws -> Detection {
            let limit = detector.detection.maximumBoxes
            let boxes =
                isAsked
                ? detector.places(among: found, limit: limit, from: least ?? 0)
                : Array(
                    detector.boxes(among: found, limit: limit)
                        .filter { $0.confidence >= options.threshold ?? detector.leastShown($0) }.prefix(options.limit))
            var detection = Detection(
                image: image, boxes: boxes, modelName: model.manifest.name, modelVersion: model.manifest.version,
                timing: timing)
            if let classifier {
                try await decide(in: &detection, of: detector, photo, with: classifier, options: options)
            }
            return detection
        }
        guard options.tiles == .automatic else { return try await detection() }
        if detector.seesSomethingNear(among: found) {
            let near = try await detection()
            // The classifier may deny what the detector sees.
            guard isAsked, !detector.showsSomethingNear(near.boxes) else { return near }
        }
        var later = options
        later.priority = .bulk
        let threshold =
            options.threshold.map { min($0, isAsked ? detector.leastFarAsked : 1) }
            ?? (isAsked ? detector.leastFarAsked : detector.leastFar)
        func look(at views: [PictureRegion], from least: Float) async throws {
            guard !views.isEmpty else { return }
            let number = regions.count
            regions += views
            let closer = try await candidates(from: number, later, least)
            found += closer.answers.flatMap(\.self)
            timing = timing.adding(closer.timing)
        }
        let input = model.manifest.input
        let sure = detector.detection.confidence
        let tiles = Tiling.automatic(width: image.width, height: image.height, side: max(input.width, input.height))
        try await look(at: tiles, from: min(threshold, sure * Tiling.closerDoubt))
        let closer = Tiling.closer(
            at: found, labels: detector.detection.labels, sure: sure, in: regions, width: image.width,
            height: image.height)
        found.removeAll { $0.view != 0 && $0.confidence < threshold }
        try await look(at: closer, from: min(options.threshold ?? sure, sure))
        return try await detection()
    }

    /// Makes the classifier check the boxes that may be animals, and names every box.
    private func decide(
        in detection: inout Detection, of detector: Detector, _ photo: [UInt8], with model: LoadedModel,
        options: DetectionOptions
    ) async throws {
        let boxes = detection.boxes
        guard let names = model.regions else { return }
        let places = boxes.indices.filter { Self.mayBeAnimal(boxes[$0]) && names.knows(boxes[$0].label) }
            .sorted { boxes[$0].animalScore > boxes[$1].animalScore }.prefix(Self.maximumChecks).sorted()
        let image = detection.image
        var named = boxes.map { box in
            var box = box
            box.name = RegionNames.name(box.label, box.confidence)
            return box
        }
        if !places.isEmpty {
            let regions = places.map {
                boxes[$0].region.square(margin: RegionNames.margin, inWidth: image.width, height: image.height)
            }
            let run = try await answers(
                for: regions, of: photo, model: model, crop: .center, isBegun: true, options: options
            ) { _, _, output in
                model.heads.answers(to: output)
            }
            for (index, heads) in zip(places, run.answers) {
                let side = Float(boxes[index].region.longerSide(inWidth: image.width, height: image.height))
                let name = names.name(detector: boxes[index].scores, heads: heads, side: side)
                // Things keep the detector's confidence.
                named[index].name =
                    Animals.family(of: name.label) == RegionNames.animal
                    ? name.boxed(withScore: boxes[index].scores?.strength(for: name.label) ?? boxes[index].confidence)
                    : name
            }
            detection.timing = detection.timing.adding(run.timing)
        }
        let sure = named.indices.filter { named[$0].confidence >= detector.detection.confidence }
        let people = RegionNames.people(
            among: sure.map { named[$0] }, inWidth: image.width, height: image.height)
        for (index, name) in people { named[sure[index]].name = name }
        var settled = detector.settled(named)
        if let least = options.threshold {
            settled += settled.flatMap { $0.doubts(from: least, to: min($0.confidence, detector.detection.confidence)) }
            settled.sort { $0.confidence > $1.confidence }
        }
        let shown = options.threshold.map { least in settled.filter { $0.confidence >= least } }
        detection.boxes = Array((shown ?? detector.shown(of: settled)).prefix(options.limit))
    }

    private static func mayBeAnimal(_ box: DetectedBox) -> Bool {
        if box.scores?.isHolder ?? false { return false }
        return box.animalScore >= RegionNames.leastAnimal
            || box.region.area >= largeShare && box.label != Decision.person
    }

    /// A network's answers for some regions of a photo.
    private struct RegionRun<Answer> {
        let image: ImageInfo
        /// In the order of the regions.
        let answers: [Answer]
        let timing: Timing
    }

    /// Decodes a photo once and runs a network on some of its regions. At most as many run at once as there are lanes,
    /// so that one request does not fill the queue.
    ///
    /// - Parameter read: converts a region's output to an answer, so that outputs do not pile up.
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
            let frame = try Frame(photo, for: requests, limits: self.options.limits)
            let cut = requests.map { input.cut(frame.picture($0)) }
            let seconds = (ContinuousClock.now - start).seconds
            tellDecoded(by: model, waited: lane.turn.queueSeconds, since: start, seconds: seconds)
            let inference = cut.count == 1 ? try lane.infer(cut[0].pixels.bytes) : nil
            return DecodedRegions(
                pictures: cut, image: frame.info, inference: inference,
                timing: Timing(
                    decode: seconds * 1000, queue: inference == nil ? lane.turn.queueSeconds * 1000 : 0, inference: 0))
        }
        let pictures = decoded.pictures
        @Sendable func answer(_ index: Int, _ result: ModelLine.Inference) -> (answer: Answer, timing: Timing) {
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
                    return answer(index, result)
                }
            }
        return RegionRun(
            image: decoded.image, answers: results.map(\.answer),
            timing: results.reduce(decoded.timing) { $0.adding($1.timing) })
    }

    private struct DecodedRegions: Sendable {
        let pictures: [DecodedPicture]
        let image: ImageInfo
        /// The inference of a single region. Nil if there are more.
        let inference: ModelLine.Inference?
        let timing: Timing
    }

    /// The embedded detector, which lies beside the default model. It answers if no other is chosen.
    package static let ownDetector = "menagerie_boxes"

    /// Checks that the detector of the options is in the folder and that its boxes can be read. It is not loaded.
    ///
    /// - Throws: ``RecognitionError``.
    package func checkDetector() async throws {
        guard let name = options.detectionModel else { return }
        let status = try await models.status(of: try ModelReference(name))
        guard let manifest = status.described.manifest else {
            if let failure = status.failure { throw failure }
            return
        }
        guard manifest.task == .detection else {
            throw RecognitionError.wrongTask(name: name, task: manifest.task, wanted: .detection)
        }
        if manifest.detection == nil { throw RecognitionError.noBoxes(name) }
    }

    func detector(_ name: String?) async throws -> ModelReference {
        if let name = name ?? options.detectionModel { return try ModelReference(name) }
        let detectors = try await models.detectors()
        if detectors.contains(Self.ownDetector) { return ModelReference(name: Self.ownDetector) }
        guard detectors.count == 1 else { throw RecognitionError.noDetector(among: detectors) }
        return ModelReference(name: detectors[0])
    }
}
