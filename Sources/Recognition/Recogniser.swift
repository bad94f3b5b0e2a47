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
    /// Threads that decode.
    package var decodeThreads: Int
    package var engine: EngineOptions
    package var batching: BatchPolicy
    package var limits: ImageLimits
    package var modelLimits = ModelRepository.Limits()
    /// What the process holds in bytes, by which the memory of models is reckoned.
    package var residentMemory: @Sendable () -> Int = { ResidentMemory.bytes }

    /// Defaults: 64 photos inside, a decoding thread and an engine lane for each core.
    package init(
        modelsDirectory: String, defaultModel: String = "menagerie", maximumInFlight: Int = 64, cores: Int,
        batching: BatchPolicy = BatchPolicy(), limits: ImageLimits = ImageLimits()
    ) {
        self.modelsDirectory = modelsDirectory
        self.defaultModel = defaultModel
        self.maximumInFlight = max(1, maximumInFlight)
        self.decodeThreads = max(1, cores)
        self.engine = EngineOptions(lanes: cores)
        self.batching = batching
        self.limits = limits
    }
}

/// The front of the module: a photo in, an answer out.
///
/// A photo takes a permit or is refused at once; it is decoded on a pool of our own threads, waits in the model's
/// queue and is inferred on the engine's threads. The task that waits can be cancelled at any point: whatever was not
/// yet begun is then dropped.
package final class Recogniser: Sendable {
    /// The models that are ready.
    package let models: ModelRepository
    /// Name of the model that answers by default.
    package var defaultModel: String { models.defaultName ?? options.defaultModel }

    private struct Load {
        var permits: Permits
        var rate = ServiceRate()
    }

    let options: RecogniserOptions
    let decoder: ImageDecoder
    private let encoder: PhotoEncoder
    let pool: WorkerPool
    let observer: any RecognitionObserver
    private let load: Locked<Load>

    /// Loads the default model and has it answer a warm-up photo: when this returns, the recogniser is ready.
    /// Blocks for about 0.2 s.
    ///
    /// - Throws: ``RecognitionError``.
    package init(
        options: RecogniserOptions, observer: any RecognitionObserver = NoObserver()
    ) throws(RecognitionError) {
        self.options = options
        self.observer = observer
        load = Locked(Load(permits: Permits(limit: options.maximumInFlight)))
        decoder = ImageDecoder(limits: options.limits)
        encoder = PhotoEncoder(limits: options.limits)
        pool = try WorkerPool(
            name: "decode", threadCount: options.decodeThreads, maximumQueueDepth: options.maximumInFlight,
            observer: observer, onEnd: { ImageDecoder.endThread() })
        models = ModelRepository(
            root: options.modelsDirectory, trainedRoot: options.trainedModelsDirectory, engineOptions: options.engine,
            policy: options.batching,
            limits: options.modelLimits, observer: observer, residentMemory: options.residentMemory)
        try models.setDefault(try ModelReference(options.defaultModel))
    }

    /// Recognises one photo.
    ///
    /// - Parameters:
    ///   - photo: the file as received, in any readable format.
    ///   - model: `name` or `name@version`; nil: the default.
    /// - Throws: ``ImagingError`` when the photo is at fault, ``RecognitionError``, or `CancellationError`.
    package func classify(
        _ photo: [UInt8], model name: String? = nil, options: ClassificationOptions = ClassificationOptions()
    ) async throws -> Classification {
        let reference = try ModelReference(name ?? defaultModel)
        let owner = try takePermit(for: reference.name)
        defer { returnPermit(of: owner) }
        return try await models.withModel(reference) { model in
            let classification = try await classify(photo, with: model, options: options)
            let named = try await namingPerson(in: photo, seenAs: classification, by: model, options: options)
            return try await listingAnimals(in: photo, seenAs: named, options: options)
        }
    }

    private func classify(
        _ photo: [UInt8], with model: LoadedModel, options: ClassificationOptions
    ) async throws -> Classification {
        guard model.manifest.task == .classification else {
            throw RecognitionError.wrongTask(
                name: model.manifest.name, task: model.manifest.task, wanted: .classification)
        }
        for head in options.requiredHeads + [options.head].compactMap(\.self) where !model.headNames.contains(head) {
            throw RecognitionError.unknownHead(head, available: model.headNames)
        }
        let arrival = ContinuousClock.now
        let decoded = try await decode(photo, for: model, options: options)
        async let mirrored = options.usesMirror ? model.submit(decoded.pixels.mirrored().bytes, options) : nil
        let inference = try await model.submit(decoded.pixels.bytes, options)
        let outputs = [inference.output] + [try await mirrored?.output].compactMap(\.self)
        let timing = Classification.Timing(
            decodeMilliseconds: decoded.seconds * 1000,
            queueMilliseconds: ((decoded.start - arrival).seconds + inference.queueSeconds) * 1000,
            inferenceMilliseconds: inference.inferenceSeconds * 1000, batchSize: inference.batchSize,
            secondStageMilliseconds: inference.output.secondStage.map { $0.seconds * 1000 })
        var classification = Classification(
            image: decoded.info, output: ModelOutput(meanOf: outputs), model: model, requestedHead: options.head,
            timing: timing)
        classification.storedCopy = decoded.copy
        return classification
    }

    /// Pixels of the network's size.
    func decode(
        _ photo: [UInt8], for model: LoadedModel, options: ClassificationOptions
    ) async throws -> (
        pixels: PixelBuffer, info: ImageInfo, start: ContinuousClock.Instant, seconds: Double, copy: [UInt8]?
    ) {
        let input = model.manifest.input
        let request = input.decodeRequest(crop: options.crop)
        let arrival = ContinuousClock.now
        let decoded = try await pool.run(
            in: model.manifest.name, priority: options.priority, deadline: options.deadline
        ) { [decoder, encoder] in
            let start = ContinuousClock.now
            let (pixels, info) = try decoder.decode(photo, request)
            let cut = input.cut(pixels)
            let seconds = (ContinuousClock.now - start).seconds
            let copy = try options.copy.map { try encoder.storedCopy(of: photo, keepingMetadata: $0.keepsMetadata) }
            return (pixels: cut, info: info, start: start, seconds: seconds, copy: copy)
        }
        observer.waitedToDecode(seconds: (decoded.start - arrival).seconds)
        observer.decoded(seconds: decoded.seconds)
        model.statistics.decoded(seconds: decoded.seconds)
        recordDecoding(since: arrival, start: decoded.start, seconds: decoded.seconds)
        return decoded
    }

    func recordDecoding(since arrival: ContinuousClock.Instant, start: ContinuousClock.Instant, seconds: Double) {
        ServiceContext.recordStage("wait to decode", from: arrival, seconds: (start - arrival).seconds)
        ServiceContext.recordStage("decode", from: start, seconds: seconds)
    }

    /// One answer for several photos of the same animal, from their mean output. Image, timing and copy are those of the
    /// first photo.
    ///
    /// - Parameter photos: answers of one model, at least one.
    /// - Throws: ``RecognitionError/unknownModel(_:)`` when the model has gone or the answers are of different ones.
    package func fuse(
        _ photos: [Classification], options: ClassificationOptions = ClassificationOptions()
    ) throws(RecognitionError) -> Classification {
        guard let first = photos.first else { throw .engine("nothing to fuse") }
        let model = try models.model("\(first.modelName)@\(first.modelVersion)")
        guard photos.allSatisfy({ $0.modelName == first.modelName && $0.modelVersion == first.modelVersion }) else {
            throw .unknownModel("\(first.modelName)@\(first.modelVersion)")
        }
        var fused = Classification(
            image: first.image, output: ModelOutput(meanOf: photos.map(\.output)), model: model,
            requestedHead: options.head, timing: first.timing)
        fused.storedCopy = first.storedCopy
        let people = photos.compactMap(\.person)
        guard options.head == nil, people.count * 2 > photos.count else { return fused }
        return fused.naming(
            DetectedBox(
                region: people[0].region, label: people[0].label,
                confidence: people.reduce(0) { $0 + $1.confidence } / Float(people.count)),
            timing: nil)
    }

    /// The copy of a photo to keep: upright, of bounded size, without metadata unless asked. Made on the decoding
    /// threads.
    ///
    /// - Throws: ``ImagingError``, ``RecognitionError``, or `CancellationError`.
    package func storedCopy(of photo: [UInt8], keepingMetadata: Bool = false) async throws -> [UInt8] {
        try await pool.run(in: Self.storing) { [encoder] in
            try encoder.storedCopy(of: photo, keepingMetadata: keepingMetadata)
        }
    }

    /// A copy of a photo, as it is stored, with rectangles and texts drawn into it. Made on the decoding threads.
    ///
    /// - Throws: ``ImagingError``, ``RecognitionError``, or `CancellationError`.
    package func annotatedCopy(
        of photo: [UInt8], _ annotations: [Annotation], deadline: ContinuousClock.Instant? = nil
    ) async throws -> [UInt8] {
        try await pool.run(in: Self.storing, deadline: deadline) { [encoder] in
            try encoder.annotatedCopy(of: photo, annotations)
        }
    }

    /// The thumbnail of a stored photo. Made on the decoding threads.
    ///
    /// - Throws: ``ImagingError``, ``RecognitionError``, or `CancellationError`.
    package func thumbnail(of photo: [UInt8]) async throws -> [UInt8] {
        try await pool.run(in: Self.storing, priority: .bulk) { [encoder] in try encoder.thumbnail(of: photo) }
    }

    /// Photos that are inside, from admission to answer.
    package var inFlight: Int { load.withLock { $0.permits.inside } }

    /// How many photos may be inside.
    package var capacity: Int { options.maximumInFlight }

    /// The decoding threads' line for what is kept; no model has such a name.
    private static let storing = " storing"

    /// Stops every thread; what waits fails with ``RecognitionError/stopped``. Blocks until running work has ended.
    package func stop() {
        pool.stop()
        models.stop()
    }

    /// Refuses at once what would be refused after it was read; what passes may still be refused then.
    ///
    /// - Parameter name: of the model, as a request gives it; only asked for when the places are taken.
    /// - Throws: ``RecognitionError/overloaded(retryAfter:)``.
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

    func returnPermit(of owner: String?) {
        load.withLock { load in
            load.permits.giveBack(owner)
            load.rate.complete(now: .now, isBusy: load.permits.inside > 0)
        }
    }
}
