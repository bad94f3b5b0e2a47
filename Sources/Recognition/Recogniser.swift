import Base
package import Imaging
import Tracing

/// How the recogniser uses the machine.
package struct RecogniserOptions: Sendable {
    /// Folder of model folders.
    package var modelsDirectory: String
    /// Folder of the models that were trained here; nil: nothing is.
    package var trainedModelsDirectory: String?
    /// Model that answers when none is named; loaded at the start.
    package var defaultModel: String
    /// Detector that answers when none is named; nil: ``Recogniser/ownDetector`` where it is in the folder, or else the
    /// only one.
    package var detectionModel: String?
    /// Photos that may be inside at a time, from admission to answer; the next is refused at once.
    package var maximumInFlight: Int
    package var engine: EngineOptions
    package var batching: BatchPolicy
    package var limits: ImageLimits
    package var modelLimits = ModelRepository.Limits()
    /// Tries models before they are loaded; nil: all are trusted.
    package var trial: ModelTrial?
    /// What the process holds in bytes, by which the memory of models is reckoned.
    package var residentMemory: @Sendable () -> Int = { ResidentMemory.bytes }

    /// Defaults: 64 photos inside, a lane for each core.
    package init(
        modelsDirectory: String, defaultModel: String = "menagerie", maximumInFlight: Int = 64, cores: Int,
        batching: BatchPolicy = BatchPolicy(), limits: ImageLimits = ImageLimits()
    ) {
        self.modelsDirectory = modelsDirectory
        self.defaultModel = defaultModel
        self.maximumInFlight = max(1, maximumInFlight)
        self.engine = EngineOptions(lanes: cores)
        self.batching = batching
        self.limits = limits
    }
}

/// The front of the module: a photo in, an answer out.
///
/// A photo takes a permit or is refused at once; it waits in the model's line until a lane is free, which decodes it and
/// runs the network on it. The task that waits can be cancelled at any point: whatever was not yet begun is then dropped.
package final class Recogniser: Sendable {
    /// The models that are ready.
    package let models: ModelRepository
    /// Name of the model that answers by default.
    package var defaultModel: String { models.defaultName ?? options.defaultModel }

    private struct Load {
        var permits: Permits
        var rate = ServiceRate()
    }

    /// Photos inferred at the same time.
    package var laneCount: Int { options.engine.lanes }

    let options: RecogniserOptions
    let decoder: ImageDecoder
    private let encoder: PhotoEncoder
    /// The threads that decode and recognise.
    let lanes: LaneScheduler
    /// The line for copies that are kept.
    private let copies: LaneScheduler.LineID
    /// The line for frames of streams.
    let streams: LaneScheduler.LineID
    let observer: any RecognitionObserver
    private let load: Locked<Load>

    /// Loads the default model and has it answer a warm-up photo: when this returns, the recogniser is ready.
    /// Blocks for about 0.2 s.
    ///
    /// - Throws: `RecognitionError`.
    package init(
        options: RecogniserOptions, observer: any RecognitionObserver = NoObserver()
    ) throws(RecognitionError) {
        self.options = options
        self.observer = observer
        load = Locked(Load(permits: Permits(limit: options.maximumInFlight)))
        decoder = ImageDecoder(limits: options.limits)
        encoder = PhotoEncoder(limits: options.limits)
        lanes = LaneScheduler(policy: options.batching, onEnd: { ImageDecoder.endThread() })
        copies = try lanes.open(lanes: options.engine.lanes, observer: observer)
        streams = try lanes.open(lanes: options.engine.lanes, observer: observer)
        models = ModelRepository(
            root: options.modelsDirectory, trainedRoot: options.trainedModelsDirectory, engineOptions: options.engine,
            lanes: lanes, limits: options.modelLimits, observer: observer, residentMemory: options.residentMemory,
            trial: options.trial)
        try models.setDefault(try ModelReference(options.defaultModel))
    }

    /// Recognises one photo.
    ///
    /// - Parameters:
    ///   - photo: the file as received, in any readable format.
    ///   - model: `name` or `name@version`; nil: the default.
    /// - Throws: `ImagingError` when the photo is at fault, `RecognitionError`, or `CancellationError`.
    package func classify(
        _ photo: [UInt8], model name: String? = nil, options: ClassificationOptions = ClassificationOptions()
    ) async throws -> Classification {
        try await classify(fusing: [photo], model: name, options: options)
    }

    /// Recognises the animal that several photos show: the answer is that of their mean output, given by one and the same
    /// version of the model. Image, timing and copy are those of the first photo.
    ///
    /// - Parameter photos: at least one; each counts for admission.
    /// - Throws: as ``classify(_:model:options:)``; one bad photo fails them all.
    package func classify(
        fusing photos: [[UInt8]], model name: String? = nil, options: ClassificationOptions = ClassificationOptions()
    ) async throws -> Classification {
        let reference = try ModelReference(name ?? defaultModel)
        var owners: [String?] = []
        defer { for owner in owners { returnPermit(of: owner) } }
        for _ in photos { owners.append(try takePermit(for: reference.name)) }
        return try await models.withModel(reference) { model in
            guard photos.count > 1 else { return try await classify(photos[0], with: model, options: options) }
            // Sums depend on their order in the last bit: always that of the photos.
            let answers = try await photos.indices.concurrentMap { index in
                var options = options
                if index > 0 { options.copy = nil }
                return try await self.classify(photos[index], with: model, options: options)
            }
            return fuse(answers, by: model, options: options)
        }
    }

    func classify(
        _ photo: [UInt8], with model: LoadedModel, options: ClassificationOptions
    ) async throws -> Classification {
        guard model.manifest.task == .classification else {
            throw RecognitionError.wrongTask(
                name: model.manifest.name, task: model.manifest.task, wanted: .classification)
        }
        for head in options.requiredHeads + [options.head].compactMap(\.self) where !model.headNames.contains(head) {
            throw RecognitionError.unknownHead(head, available: model.headNames)
        }
        let look = try await look(at: photo, with: model, options: options)
        var classification = Classification(
            image: look.image, output: ModelOutput(meanOf: look.outputs), model: model, requestedHead: options.head,
            timing: look.timing)
        classification.storedCopy = look.copy
        let named = try await namingPerson(in: photo, seenAs: classification, by: model, options: options)
        return try await listingAnimals(in: photo, seenAs: named, options: options)
    }

    /// What a network made of a photo.
    struct PhotoLook: Sendable {
        let image: ImageInfo
        /// Of the photo, and of the mirrored one where it was wanted.
        let outputs: [ModelOutput]
        let copy: [UInt8]?
        let timing: Timing
    }

    /// Decodes a photo and has the network answer, on one lane.
    func look(
        at photo: [UInt8], with model: LoadedModel, options: ClassificationOptions
    ) async throws -> PhotoLook {
        let input = model.manifest.input
        let request = input.decodeRequest(crop: options.crop)
        return try await model.line.run(priority: options.priority, deadline: options.deadline) { [self] lane in
            let start = ContinuousClock.now
            let source = try decoder.open(photo)
            let pixels = input.cut(try source.pixels(request))
            let image = source.info()
            let seconds = (ContinuousClock.now - start).seconds
            tellDecoded(by: model, waited: lane.turn.queueSeconds, since: start, seconds: seconds)
            let copy = try options.copy.map { try encoder.storedCopy(of: source, keepingMetadata: $0.keepsMetadata) }
            let inference = try lane.infer(pixels.bytes)
            let mirrored = options.usesMirror ? try lane.infer(pixels.mirrored().bytes) : nil
            return PhotoLook(
                image: image, outputs: [inference.output] + [mirrored?.output].compactMap(\.self), copy: copy,
                timing: Timing(
                    decode: seconds * 1000, queue: inference.queueSeconds * 1000,
                    inference: inference.inferenceSeconds * 1000, batchSize: inference.batchSize,
                    secondStage: inference.output.secondStage.map { $0.seconds * 1000 }))
        }
    }

    /// - Parameters:
    ///   - waited: seconds until there was a lane.
    ///   - start: of decoding.
    ///   - seconds: of decoding.
    func tellDecoded(
        by model: LoadedModel?, waited: Double, since start: ContinuousClock.Instant, seconds: Double
    ) {
        observer.waitedToDecode(seconds: waited)
        observer.decoded(seconds: seconds)
        model?.statistics.decoded(seconds: seconds)
        ServiceContext.recordStage("decode", from: start, seconds: seconds)
    }

    /// One answer for several photos of the same animal, from their mean output.
    private func fuse(
        _ photos: [Classification], by model: LoadedModel, options: ClassificationOptions
    ) -> Classification {
        var fused = Classification(
            image: photos[0].image, output: ModelOutput(meanOf: photos.map(\.output)), model: model,
            requestedHead: options.head, timing: photos[0].timing)
        fused.storedCopy = photos[0].storedCopy
        let people = photos.compactMap(\.person)
        guard options.head == nil, people.count * 2 > photos.count else { return fused }
        return fused.naming(
            DetectedBox(
                region: people[0].region, label: people[0].label,
                confidence: people.reduce(0) { $0 + $1.confidence } / Float(people.count)),
            timing: nil)
    }

    /// The copy of a photo to keep: upright, of bounded size, without metadata unless asked. Made on a
    /// lane.
    ///
    /// - Throws: `ImagingError`, `RecognitionError`, or `CancellationError`.
    package func storedCopy(of photo: [UInt8], keepingMetadata: Bool = false) async throws -> [UInt8] {
        try await lanes.run(in: copies) { [encoder] _ in
            try encoder.storedCopy(of: photo, keepingMetadata: keepingMetadata)
        }
    }

    /// A copy of a photo, as it is stored, with rectangles and texts drawn into it. Made on a lane.
    ///
    /// - Throws: `ImagingError`, `RecognitionError`, or `CancellationError`.
    package func annotatedCopy(
        of photo: [UInt8], _ annotations: [Annotation], deadline: ContinuousClock.Instant? = nil
    ) async throws -> [UInt8] {
        try await lanes.run(in: copies, deadline: deadline) { [encoder] _ in
            try encoder.annotatedCopy(of: photo, annotations)
        }
    }

    /// The thumbnail of a stored photo. Made on a lane.
    ///
    /// - Throws: `ImagingError`, `RecognitionError`, or `CancellationError`.
    package func thumbnail(of photo: [UInt8]) async throws -> [UInt8] {
        try await lanes.run(in: copies, priority: .bulk) { [encoder] _ in try encoder.thumbnail(of: photo) }
    }

    /// Photos that are inside, from admission to answer.
    package var inFlight: Int { load.withLock { $0.permits.inside } }

    /// How many photos may be inside.
    package var capacity: Int { options.maximumInFlight }

    /// Stops every thread; what waits fails with `RecognitionError.stopped`. Blocks until running work has ended.
    package func stop() {
        for line in [copies, streams] { lanes.close(line) }
        models.stop()
    }

    /// Refuses at once what would be refused after it was read; what passes may still be refused then.
    ///
    /// - Parameter name: of the model, as a request gives it; only asked for when the places are taken.
    /// - Throws: `RecognitionError.overloaded(retryAfter:)`.
    package func checkRoom(model name: () -> String?) throws(RecognitionError) {
        guard load.withLock({ $0.permits.inside >= $0.permits.limit }) else { return }
        let name = name() ?? defaultModel
        let model = (try? ModelReference(name))?.name
        let owner = model.flatMap { models.isLoaded($0) ? $0 : nil }
        let wait = load.withLock { load in
            load.permits.hasRoom(owner) ? nil : load.rate.drainTime(of: load.permits.inside)
        }
        guard let wait else { return }
        observer.refused(.inFlight)
        throw .overloaded(retryAfter: wait)
    }

    /// - Returns: what the permit is to be returned with; nil for a model that is not loaded yet.
    func takePermit(for model: String) throws(RecognitionError) -> String? {
        let owner = models.isLoaded(model) ? model : nil
        let wait = load.withLock { load in
            load.permits.take(owner) ? nil : load.rate.drainTime(of: load.permits.inside)
        }
        guard let wait else { return owner }
        observer.refused(.inFlight)
        throw .overloaded(retryAfter: wait)
    }

    /// - Parameter isAnswered: whether it was taken for a photo, by which the rate of answers is told.
    func returnPermit(of owner: String?, isAnswered: Bool = true) {
        load.withLock { load in
            load.permits.giveBack(owner)
            guard isAnswered else { return }
            load.rate.complete(now: .now, isBusy: load.permits.inside > 0)
        }
    }
}
