import Base
import Dispatch

/// The models that are served. Several versions of one may be loaded. Requests without a version get the active one.
///
/// Loading blocks and runs on its own queue, `LoadQueue`. Requests wait suspended, without a thread. A failed load
/// leaves the other models and its own predecessor as they are. A replaced predecessor ends when its last photo is
/// answered.
package final class ModelRepository: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The most bytes of all loaded models. The least recently used ones make room. Nil sets no limit.
        package var memory: Int?
        /// The idle time after which a model is unloaded, except the default one. Nil never unloads.
        package var idleTimeout: Duration?
        /// The time after a failed load during which requests do not try again.
        package var retryDelay = Duration.seconds(10)

        package init(memory: Int? = nil, idleTimeout: Duration? = nil) {
            self.memory = memory
            self.idleTimeout = idleTimeout
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
        /// The version that answers for each name. It stays after unloading.
        var active: [String: String] = [:]
        var failures: [ModelReference: Failure] = [:]
        /// The facts found in the files of versions, loaded or not.
        var facts: [Key: ModelFacts] = [:]
        var defaultName: String?
        /// The tickets of trials in progress.
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
    /// Threads that inspect the folder, possibly including files of weights.
    let inspections = BlockingPool(label: "models.inspect", width: 4, maximumPending: 256)
    /// Threads for uploaded models: they try them and move files.
    let uploads = BlockingPool(label: "models.uploads", width: 2, maximumPending: 16)
    /// Whether nothing was uploaded since the start.
    let sweepsUploads = Locked(true)
    /// Tries models before they are loaded. Nil trusts all.
    let trial: ModelTrial?
    /// Other blocking work: stopping retired models, sweeping.
    let queue = DispatchQueue(label: "models", attributes: .concurrent)

    /// - Parameters:
    ///   - root: the folder of model folders.
    ///   - trainedRoot: a second folder, which trainings write to.
    ///   - lanes: the threads that the models share with other work.
    ///   - residentMemory: returns the memory of the process in bytes. Its growth during a load counts as the model's.
    ///   - trial: tries models before they are loaded. Nil trusts all.
    package init(
        root: String, trainedRoot: String? = nil, engineOptions: EngineOptions,
        lanes: LaneScheduler = LaneScheduler(policy: QueuePolicy()), limits: Limits = Limits(),
        observer: any RecognitionObserver = NoObserver(),
        residentMemory: @escaping @Sendable () -> Int = { ResidentMemory.bytes }, trial: ModelTrial? = nil
    ) {
        store = ModelStore(roots: [root] + [trainedRoot].compactMap(\.self), inspection: trial?.inspection ?? .here)
        self.trial = trial
        self.limits = limits
        self.observer = observer
        loadQueue = LoadQueue(width: max(2, engineOptions.lanes))
        loading = ModelLoading(
            engineOptions: engineOptions, lanes: lanes, observer: observer,
            residentMemory: residentMemory)
        if let timeout = limits.idleTimeout { sweep(every: min(max(timeout / 4, .milliseconds(20)), .seconds(5))) }
    }

    /// Loads a version, or loads it again, and makes it answer for its name: a swap, or a rollback. Its predecessor
    /// still finishes its photos. Blocks until the version is loaded.
    ///
    /// - Parameter version: nil takes the latest.
    /// - Throws: ``RecognitionError``. Nothing has changed then.
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

    /// Unloads one version or all versions of a model until the next request that names it. Does nothing if none is
    /// loaded.
    ///
    /// - Throws: ``RecognitionError/modelInUse(_:)`` for the default model.
    package func unload(_ reference: ModelReference) throws(RecognitionError) {
        let models = try state.withLock { state throws(RecognitionError) in
            let isDefault = state.defaultName == reference.name
            if isDefault, reference.version == nil || reference.version == state.active[reference.name] {
                throw .modelInUse(reference.name)
            }
            let keys = state.slots.keys.filter {
                $0.name == reference.name && (reference.version ?? $0.version) == $0.version
            }
            return keys.compactMap { state.slots.removeValue(forKey: $0)?.model }
        }
        retire(models)
        tellUnloaded(models)
    }

    /// Leaves a model's name without an answering version until one is loaded or deployed again.
    ///
    /// - Throws: ``RecognitionError/modelInUse(_:)`` for the default model.
    package func withdraw(_ name: String) throws(RecognitionError) {
        try unload(ModelReference(name: name))
        state.withLock { state in
            state.active[name] = nil
            state.facts = state.facts.filter { $0.key.name != name }
        }
    }

    /// A loaded model.
    ///
    /// - Parameter text: `name` or `name@version`.
    /// - Throws: ``RecognitionError/unknownModel(_:)``.
    package func model(_ text: String) throws(RecognitionError) -> LoadedModel {
        let reference = try ModelReference(text)
        guard let model = state.withLock({ $0.slot(for: reference)?.model }) else { throw .unknownModel(text) }
        return model
    }

    /// Whether some version of a model is loaded.
    package func isLoaded(_ name: String) -> Bool {
        state.withLock { state in state.slots.keys.contains { $0.name == name } }
    }

    /// The names of the loaded models, sorted.
    package var readyModels: [String] { state.withLock { Set($0.slots.keys.map(\.name)).sorted() } }

    /// The model for requests that name none. It is never unloaded or evicted.
    package var defaultName: String? { state.withLock { $0.defaultName } }

    /// Makes another model the default. Blocks until it is loaded.
    ///
    /// - Throws: ``RecognitionError``. The default has not changed then.
    package func setDefault(_ reference: ModelReference) throws(RecognitionError) {
        if !isActive(reference) { try load(reference.name, version: reference.version) }
        state.withLock { $0.defaultName = reference.name }
    }

    /// Whether the model is loaded and the reference names no version.
    func isActive(_ reference: ModelReference) -> Bool {
        reference.version == nil && state.withLock { $0.slot(for: reference) != nil }
    }

    /// Stops every model. Waiting photos fail with `RecognitionError.stopped`.
    package func stop() {
        let (all, tickets) = state.withLock { state in
            defer { state.slots = [:] }
            state.isStopped = true
            return (state.slots.values.map(\.model), state.tickets)
        }
        for ticket in tickets { ticket.cancel() }
        for model in all { model.stop() }
    }

    /// Stops models that are out of service, each after its last use.
    func retire(_ models: [LoadedModel]) {
        for model in models where model.retire() {
            queue.async { model.stop(finishingQueue: true) }
        }
    }

    func tellUnloaded(_ models: [LoadedModel]) {
        guard !models.isEmpty else { return }
        observer.unloaded(models.map(\.manifest.reference))
    }

    /// Unloads idle models at intervals until the repository is stopped or released.
    private func sweep(every interval: Duration) {
        queue.asyncAfter(deadline: .now() + interval.seconds) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            self.unloadIdle(now: .now)
            self.sweep(every: interval)
        }
    }
}

extension ModelRepository.State {
    /// The loaded model that a reference names.
    func slot(for reference: ModelReference) -> ModelRepository.Slot? {
        guard let version = reference.version ?? active[reference.name] else { return nil }
        return slots[ModelRepository.Key(name: reference.name, version: version)]
    }

    /// The last failure to load the version that a reference means.
    func failure(of reference: ModelReference) -> ModelRepository.Failure? {
        failures[ModelReference(name: reference.name, version: reference.version ?? active[reference.name])]
    }
}
