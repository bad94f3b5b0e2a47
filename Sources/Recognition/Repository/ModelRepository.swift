import Base
import Dispatch

/// The models that are served. Several versions of one model may be loaded; requests that name none get the active one.
///
/// Loading blocks and happens on a queue of its own, `LoadQueue`; requests that need a model wait for it suspended,
/// without a thread. A model that fails leaves the others, and its own predecessor, as they are; a predecessor that was
/// swapped out ends when its last photo is answered.
package final class ModelRepository: Sendable {
    /// Bounds on what is loaded.
    package struct Limits: Sendable, Equatable {
        /// Bytes that all loaded models may hold together; the least recently used make room. nil: no bound.
        package var memory: Int?
        /// A model that nobody asked for this long is unloaded, but for the default one. nil: never.
        package var idleTimeout: Duration?
        /// How long a model that could not be loaded is not tried again by requests.
        package var retryDelay: Duration

        package init(memory: Int? = nil, idleTimeout: Duration? = nil, retryDelay: Duration = .seconds(10)) {
            self.memory = memory
            self.idleTimeout = idleTimeout
            self.retryDelay = retryDelay
        }
    }

    struct Key: Hashable, Sendable {
        let name: String
        let version: String
    }

    struct Slot: Sendable {
        let model: LoadedModel
        var lastUse: ContinuousClock.Instant
    }

    struct Failure: Sendable {
        let error: RecognitionError
        let instant: ContinuousClock.Instant
    }

    struct State: Sendable {
        var slots: [Key: Slot] = [:]
        /// The version that answers for a name; it outlives unloading.
        var active: [String: String] = [:]
        var failures: [String: Failure] = [:]
        /// What was found in the files of versions, loaded or not.
        var looks: [Key: ModelLook] = [:]
        var defaultName: String?
        /// Of trials that are under way.
        var tickets: [LoadTicket] = []
        var isStopped = false
    }

    package let store: ModelStore
    package let limits: Limits
    let loading: ModelLoading
    let observer: any RecognitionObserver
    let state = Locked(State())
    let loadQueue: LoadQueue
    /// Requests that wait for models to be loaded.
    let demands = Locked(ModelDemands())
    /// Looking into the folder, which may mean to look into files of weights.
    let looks = BlockingPool(label: "models.look", width: 4, maximumPending: 256)
    /// Models that are sent to the service: trying them, and moving files.
    let uploads = BlockingPool(label: "models.uploads", width: 2, maximumPending: 16)
    /// Whether nothing was sent since the start.
    let sweepsUploads = Locked(true)
    /// Tries models before they are loaded; nil: all are trusted.
    let trial: ModelTrial?
    /// Other blocking work: stopping what was retired, sweeping.
    let queue = DispatchQueue(label: "models", attributes: .concurrent)

    /// - Parameters:
    ///   - root: the folder of model folders.
    ///   - trainedRoot: a second one, which trainings write to.
    ///   - residentMemory: what the process holds in bytes; what it grows by when a model is loaded counts as the model's.
    package convenience init(
        root: String, trainedRoot: String? = nil, engineOptions: EngineOptions, limits: Limits = Limits(),
        observer: any RecognitionObserver = NoObserver(),
        residentMemory: @escaping @Sendable () -> Int = { ResidentMemory.bytes }, trial: ModelTrial? = nil
    ) {
        self.init(
            root: root, trainedRoot: trainedRoot, engineOptions: engineOptions,
            lanes: LaneScheduler(policy: BatchPolicy()), limits: limits, observer: observer,
            residentMemory: residentMemory, trial: trial)
    }

    /// - Parameters:
    ///   - lanes: the threads that the models share with other work.
    ///   - trial: tries models before they are loaded; nil: all are trusted.
    package init(
        root: String, trainedRoot: String?, engineOptions: EngineOptions, lanes: LaneScheduler, limits: Limits,
        observer: any RecognitionObserver, residentMemory: @escaping @Sendable () -> Int, trial: ModelTrial? = nil
    ) {
        store = ModelStore(
            roots: [root] + [trainedRoot].compactMap(\.self), inspection: trial?.inspection ?? .here)
        self.trial = trial
        self.limits = limits
        self.observer = observer
        loadQueue = LoadQueue(width: max(2, engineOptions.lanes))
        loading = ModelLoading(
            engineOptions: engineOptions, lanes: lanes, observer: observer,
            residentMemory: residentMemory)
        if let timeout = limits.idleTimeout { sweep(every: min(max(timeout / 4, .milliseconds(20)), .seconds(5))) }
    }

    /// Loads a version, or loads it anew, and makes it the one that answers for its name: a swap, or a rollback. What
    /// its predecessor is busy with is still answered by that one. Blocks until it is loaded.
    ///
    /// - Parameter version: nil: the latest.
    /// - Throws: ``RecognitionError``; everything is then as it was.
    @discardableResult
    package func load(_ name: String, version: String? = nil) throws(RecognitionError) -> LoadedModel {
        let result = Locked<Result<LoadedModel, RecognitionError>>(.failure(.stopped))
        try loadQueue.sync(name) {
            let loaded = Result { () throws(RecognitionError) in
                try self.loadOnQueue(name, version: version, isLeased: false)
            }
            result.withLock { $0 = loaded }
        }
        return try result.withLock { $0 }.get()
    }

    /// Unloads a version, or every version, of a model, until the next request that names it. Nothing changes where none
    /// is loaded.
    ///
    /// - Throws: ``RecognitionError/modelInUse(_:)`` for the default model.
    package func unload(_ reference: ModelReference) throws(RecognitionError) {
        let result = state.withLock { state -> Result<[LoadedModel], RecognitionError> in
            let isDefault = state.defaultName == reference.name
            if isDefault, reference.version == nil || reference.version == state.active[reference.name] {
                return .failure(.modelInUse(reference.name))
            }
            let keys = state.slots.keys.filter {
                $0.name == reference.name && (reference.version ?? $0.version) == $0.version
            }
            return .success(keys.compactMap { state.slots.removeValue(forKey: $0)?.model })
        }
        let models = try result.get()
        retire(models)
        tellUnloaded(models)
    }

    /// Has no version answer for a model's name until one is loaded or deployed anew.
    ///
    /// - Throws: ``RecognitionError/modelInUse(_:)`` for the default model.
    package func withdraw(_ name: String) throws(RecognitionError) {
        try unload(ModelReference(name: name))
        state.withLock { $0.active[name] = nil }
    }

    /// A model that is loaded.
    ///
    /// - Parameter text: `name` or `name@version`.
    /// - Throws: ``RecognitionError/unknownModel(_:)``.
    package func model(_ text: String) throws(RecognitionError) -> LoadedModel {
        let reference = try ModelReference(text)
        guard let model = state.withLock({ $0.slot(for: reference)?.model }) else { throw .unknownModel(text) }
        return model
    }

    /// Whether some version of a model is ready.
    package func isLoaded(_ name: String) -> Bool {
        state.withLock { state in state.slots.keys.contains { $0.name == name } }
    }

    /// Names of the models that are ready, sorted.
    package var readyModels: [String] { state.withLock { Set($0.slots.keys.map(\.name)).sorted() } }

    /// The model that answers when a request names none; it is never unloaded or evicted.
    package var defaultName: String? { state.withLock { $0.defaultName } }

    /// Has another model, which is loaded where it is not, answer by default. Blocks until it is loaded.
    ///
    /// - Throws: ``RecognitionError``; the default is then as it was.
    package func setDefault(_ reference: ModelReference) throws(RecognitionError) {
        if !isActive(reference) { try load(reference.name, version: reference.version) }
        state.withLock { $0.defaultName = reference.name }
    }

    /// Whether the model is loaded and the reference leaves the version open.
    func isActive(_ reference: ModelReference) -> Bool {
        reference.version == nil && state.withLock { $0.slot(for: reference) != nil }
    }

    /// Stops every model; waiting photos fail with `RecognitionError.stopped`.
    package func stop() {
        let (all, tickets) = state.withLock { state in
            defer { state.slots = [:] }
            state.isStopped = true
            return (state.slots.values.map(\.model), state.tickets)
        }
        for ticket in tickets { ticket.cancel() }
        for model in all { model.stop() }
    }

    /// Stops models that are in no slot any more, each when its last user has gone.
    func retire(_ models: [LoadedModel]) {
        for model in models where model.retire() {
            queue.async { model.stop(finishingQueue: true) }
        }
    }

    func tellUnloaded(_ models: [LoadedModel]) {
        guard !models.isEmpty else { return }
        observer.unloaded(
            models.map { ModelReference(name: $0.manifest.name, version: $0.manifest.version) })
    }

    /// Unloads what is idle, again and again until the repository is stopped or gone.
    private func sweep(every interval: Duration) {
        queue.asyncAfter(deadline: .now() + interval.seconds) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            self.unloadIdle(now: .now)
            self.sweep(every: interval)
        }
    }
}

extension ModelRepository.State {
    /// The loaded model that a reference means.
    func slot(for reference: ModelReference) -> ModelRepository.Slot? {
        guard let version = reference.version ?? active[reference.name] else { return nil }
        return slots[ModelRepository.Key(name: reference.name, version: version)]
    }
}
