import Base
package import Imaging

/// The recogniser's models and its use of the machine.
package struct RecogniserOptions: Sendable {
    /// The folder of model folders.
    package var modelsDirectory: String
    /// The folder of models trained here. Nil if trainings are off.
    package var trainedModelsDirectory: String?
    /// The model for requests that name none. It is loaded at the start.
    package var defaultModel: String
    /// The detector for requests that name none. Nil takes ``Recogniser/ownDetector`` if it is in the folder, otherwise
    /// the only one.
    package var detectionModel: String?
    /// The most photos between admission and answer. Further ones are refused at once.
    package var maximumInFlight: Int
    package var engine: EngineOptions
    package var queue: QueuePolicy
    package var limits: ImageLimits
    package var modelLimits = ModelRepository.Limits()
    /// Tries models before they are loaded. Nil trusts all.
    package var trial: ModelTrial?
    /// The memory of the process in bytes. The memory of models is derived from it.
    package var residentMemory: @Sendable () -> Int = { ResidentMemory.bytes }

    /// The defaults are 64 photos in work and a lane for each core.
    package init(
        modelsDirectory: String, defaultModel: String = "menagerie", maximumInFlight: Int = 64, cores: Int,
        queue: QueuePolicy = QueuePolicy(), limits: ImageLimits = ImageLimits()
    ) {
        self.modelsDirectory = modelsDirectory
        self.defaultModel = defaultModel
        self.maximumInFlight = max(1, maximumInFlight)
        self.engine = EngineOptions(lanes: cores)
        self.queue = queue
        self.limits = limits
    }
}

/// Recognises photos. This is the main interface of the module.
///
/// A photo takes a permit or is refused at once. It waits in the model's line for a free lane, which decodes it and
/// runs the network. The waiting task can be cancelled at any time; work that has not begun is then dropped.
package final class Recogniser: Sendable {
    package let models: ModelRepository
    package var defaultModel: String { models.defaultName ?? options.defaultModel }

    /// The number of photos inferred at the same time.
    package var laneCount: Int { options.engine.lanes }

    let options: RecogniserOptions
    private let encoder: PhotoEncoder
    /// The threads that decode and recognise.
    let lanes: LaneScheduler
    /// The line for copies that are stored.
    private let copies: LaneScheduler.Line
    /// The line for frames of streams.
    let streams: LaneScheduler.Line
    let observer: any RecognitionObserver
    private let permits: Locked<Permits>

    /// Loads the default model and runs it on a warm-up photo, so that the recogniser is ready when this returns.
    /// Blocks for about 0.2 s.
    package init(
        options: RecogniserOptions, observer: any RecognitionObserver = NoObserver()
    ) throws(RecognitionError) {
        self.options = options
        self.observer = observer
        permits = Locked(Permits(limit: options.maximumInFlight))
        encoder = PhotoEncoder(limits: options.limits)
        lanes = LaneScheduler(policy: options.queue, onEnd: { ImageSource.endThread() })
        copies = try lanes.openLine(width: options.engine.lanes, observer: observer)
        streams = try lanes.openLine(width: options.engine.lanes, observer: observer)
        models = ModelRepository(
            root: options.modelsDirectory, trainedRoot: options.trainedModelsDirectory, engineOptions: options.engine,
            lanes: lanes, limits: options.modelLimits, observer: observer, residentMemory: options.residentMemory,
            trial: options.trial)
        try models.setDefault(try ModelReference(options.defaultModel))
    }

    /// Repeats work that has time, such as an import, while the requests of users go first.
    ///
    /// - Parameter deadline: the work's own deadline, after which no repetition helps. Nil if each try sets a new one.
    package static func patiently<Value>(
        until deadline: ContinuousClock.Instant? = nil, _ work: () async throws -> Value
    ) async throws -> Value {
        var hasTime: Bool { deadline.map { $0 > .now } ?? true }
        while true {
            do {
                return try await work()
            } catch RecognitionError.overloaded(let wait) where hasTime {
                try await Task.sleep(for: max(.milliseconds(20), min(wait, .seconds(2))))
            } catch RecognitionError.deadlineExceeded where hasTime {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Recognises one photo.
    ///
    /// - Parameters:
    ///   - photo: the file as received, in any readable format.
    ///   - model: `name` or `name@version`. Nil takes the default model.
    /// - Throws: `ImagingError` if the photo is at fault, `RecognitionError`, or `CancellationError`.
    package func classify(
        _ photo: [UInt8], model name: String? = nil, options: ClassificationOptions = ClassificationOptions()
    ) async throws -> Classification {
        try await classify(fusing: [photo], model: name, options: options)
    }

    /// Recognises an animal from several photos. The answer comes from their mean output, with the same version of the
    /// model for all. Image, timing and copy are those of the first photo.
    ///
    /// - Parameter photos: at least one. Each counts for admission.
    /// - Throws: like ``classify(_:model:options:)``. One bad photo fails the request.
    package func classify(
        fusing photos: [[UInt8]], model name: String? = nil, options: ClassificationOptions = ClassificationOptions()
    ) async throws -> Classification {
        let reference = try ModelReference(name ?? defaultModel)
        var owners: [String?] = []
        defer { for owner in owners { returnPermit(of: owner) } }
        for _ in photos { owners.append(try takePermit(for: reference.name)) }
        return try await models.withModel(reference) { model in
            guard photos.count > 1 else { return try await classify(photos[0], with: model, options: options) }
            // Sums depend on their order in the last bit, so they follow the order of the photos.
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
        try model.checkClassifier(answering: options.requiredHeads + [options.head].compactMap(\.self))
        let result = try await infer(photo, with: model, options: options)
        var classification = Classification(
            image: result.image, output: result.output, model: model, requestedHead: options.head,
            timing: result.timing)
        classification.storedCopy = result.copy
        let named = try await namingPerson(in: photo, seenAs: classification, by: model, options: options)
        return try await listingAnimals(in: photo, seenAs: named, options: options)
    }

    /// A network's outputs for a photo.
    struct PhotoOutput: Sendable {
        let image: ImageInfo
        /// The output for the photo, or its mean with that for the mirrored photo if requested.
        let output: ModelOutput
        let copy: [UInt8]?
        let timing: Timing
    }

    /// Decodes a photo and runs the network on it, on one lane.
    func infer(_ photo: [UInt8], with model: LoadedModel, options: ClassificationOptions) async throws -> PhotoOutput {
        let input = model.manifest.input
        let request = input.decodeRequest(crop: options.crop)
        return try await model.line.run(priority: options.priority, deadline: options.deadline) { [self] lane in
            let start = ContinuousClock.now
            let source = try ImageSource(photo, limits: self.options.limits)
            let pixels = input.cut(try source.pixels(request))
            let image = source.info()
            let seconds = (ContinuousClock.now - start).seconds
            tellDecoded(by: model, waited: lane.turn.queueSeconds, since: start, seconds: seconds)
            let copy = try options.copy.map { try encoder.storedCopy(of: source, keepingMetadata: $0.keepsMetadata) }
            let inference = try lane.infer(pixels.bytes)
            let mirrored = options.usesMirror ? try lane.infer(pixels.mirrored().bytes) : nil
            return PhotoOutput(
                image: image, output: ModelOutput(meanOf: [inference, mirrored].compactMap { $0?.output }), copy: copy,
                timing: Timing(decode: seconds * 1000, queue: 0, inference: 0).adding(inference.timing))
        }
    }

    /// - Parameters:
    ///   - waited: the wait for a lane, in seconds.
    ///   - start: the start of decoding.
    ///   - seconds: the duration of decoding.
    func tellDecoded(by model: LoadedModel?, waited: Double, since start: ContinuousClock.Instant, seconds: Double) {
        observer.waitedToDecode(seconds: waited)
        observer.decoded(seconds: seconds)
        model?.statistics.decoded(seconds: seconds)
        ActiveSpan.recordStage("decode", from: start, seconds: seconds)
    }

    /// Combines the answers for several photos of the same animal, by their mean output.
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

    /// The copy of a photo for storing: upright, of bounded size, by default without metadata. Made on a lane.
    ///
    /// - Throws: `ImagingError`, `RecognitionError`, or `CancellationError`.
    package func storedCopy(of photo: [UInt8], keepingMetadata: Bool = false) async throws -> [UInt8] {
        try await lanes.run(in: copies) { [encoder] _ in
            try encoder.storedCopy(of: photo, keepingMetadata: keepingMetadata)
        }
    }

    /// A copy of a photo, as for storing, with rectangles and texts drawn into it. Made on a lane.
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

    /// Whether requests that somebody waits for use the lanes, or did so a moment ago.
    package var isBusy: Bool { lanes.isBusy }

    /// The number of photos between admission and answer.
    package var inFlight: Int { permits.withLock { $0.inside } }

    /// The most photos between admission and answer.
    package var capacity: Int { options.maximumInFlight }

    /// Stops every thread. Waiting work fails with `RecognitionError.stopped`. Blocks until running work has ended.
    package func stop() {
        for line in [copies, streams] { lanes.close(line) }
        models.stop()
    }

    /// Refuses a request early, before its photo is read. A request that passes may still be refused later.
    ///
    /// - Parameter name: the model as the request names it. It is called only if all permits are taken.
    /// - Throws: `RecognitionError.overloaded(retryAfter:)`.
    package func checkRoom(model name: () -> String?) throws(RecognitionError) {
        guard permits.withLock({ $0.inside >= $0.limit }) else { return }
        let model = (try? ModelReference(name() ?? defaultModel))?.name
        try askForPermit { permits throws(RecognitionError) in
            try permits.check(model.flatMap { models.isLoaded($0) ? $0 : nil })
        }
    }

    /// - Returns: the owner to return the permit with. Nil for a model that is not loaded yet.
    func takePermit(for model: String) throws(RecognitionError) -> String? {
        let owner = models.isLoaded(model) ? model : nil
        try askForPermit { permits throws(RecognitionError) in try permits.take(owner) }
        return owner
    }

    private func askForPermit(_ ask: (inout Permits) throws(RecognitionError) -> Void) throws(RecognitionError) {
        do throws(RecognitionError) {
            try permits.withLock { permits throws(RecognitionError) in try ask(&permits) }
        } catch {
            observer.refused(.inFlight)
            throw error
        }
    }

    /// - Parameter isAnswered: whether it was for a photo, which then counts for the measured rate.
    func returnPermit(of owner: String?, isAnswered: Bool = true) {
        permits.withLock { $0.giveBack(owner, isAnswered: isAnswered) }
    }
}
