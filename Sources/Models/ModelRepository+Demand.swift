import Base
import Dispatch
import Heads
package import Inference
import ModelImport
import Synchronization

extension ModelRepository {
    /// Runs the body with a model that keeps running until the body has ended, whatever is swapped meanwhile. A model
    /// that lies in the folder and is not loaded is loaded first.
    ///
    /// - Throws: ``RecognitionError``, or what the body throws.
    package func withModel<Answer: Sendable>(
        _ reference: ModelReference, _ body: (LoadedModel) async throws -> Answer
    ) async throws -> Answer {
        let model = try await lease(reference)
        defer {
            if model.giveBack() { queue.async { model.stop(finishingQueue: true) } }
        }
        return try await body(model)
    }

    /// Runs the body with a model that has features. One that is served without them is compiled once more with them, and is
    /// gone when the body has ended.
    ///
    /// - Throws: ``RecognitionError``, or what the body throws.
    package func withFeatures<Answer: Sendable>(
        of reference: ModelReference, _ body: (LoadedModel) async throws -> Answer
    ) async throws -> Answer {
        try await withModel(reference) { model in
            guard !model.hasFeatures else { return try await body(model) }
            let (name, version) = (model.manifest.name, model.manifest.version)
            let variant = try await onLoadQueue(of: name) { () throws(RecognitionError) in
                let variant = try self.loading.load(self.store.open(name, version: version), findsFeatures: true)
                let others = self.loadedMemory.reduce(0) { $0 + $1.bytes }
                if let limit = self.limits.memory, others + variant.memory > limit {
                    variant.stop()
                    throw .modelTooLarge(name: name, bytes: variant.memory, limit: limit)
                }
                return variant
            }
            defer { queue.async { variant.stop(finishingQueue: true) } }
            return try await body(variant)
        }
    }

    private func onLoadQueue<Answer: Sendable>(
        of name: String, _ work: @escaping @Sendable () throws(RecognitionError) -> Answer
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            loadQueue.async(name) {
                do throws(RecognitionError) {
                    continuation.resume(returning: try work())
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Loads a version and makes it the active one.
    package func load(_ reference: ModelReference) async throws {
        try await withCheckedThrowingContinuation { continuation in
            loadQueue.async(reference.name) {
                do throws(RecognitionError) {
                    _ = try self.loadOnQueue(reference.name, version: reference.version, isLeased: false)
                    continuation.resume()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Has another model answer by default, loading it first where need be.
    package func makeDefault(_ reference: ModelReference) async throws {
        if !isActive(reference) { try await load(reference) }
        state.withLock { $0.defaultName = reference.name }
    }

    /// Unloads what nobody asked for during the idle time.
    func unloadIdle(now: ContinuousClock.Instant) {
        guard let timeout = limits.idleTimeout else { return }
        let models = state.withLock { state in
            let idle = state.slots.filter { key, slot in
                key.name != state.defaultName && !slot.model.isInUse && slot.lastUse + timeout <= now
            }
            return idle.keys.compactMap { state.slots.removeValue(forKey: $0)?.model }
        }
        retire(models)
        tellUnloaded(models)
    }

    /// A loaded model, taken once.
    private func lease(_ reference: ModelReference) async throws -> LoadedModel {
        let (ready, failure) = state.withLock { state -> (LoadedModel?, RecognitionError?) in
            if let model = state.take(reference) { return (model, nil) }
            if state.isStopped { return (nil, .stopped) }
            guard let failure = state.failures[reference.description],
                failure.instant + limits.retryDelay > .now
            else { return (nil, nil) }
            return (nil, failure.error)
        }
        if let ready { return ready }
        if let failure { throw failure }
        return try await loadOnDemand(reference)
    }

    // MARK: Waiting

    /// Waits, without a thread, until the model is loaded, which the first who asks for it sets off. Who is cancelled
    /// stops waiting.
    private func loadOnDemand(_ reference: ModelReference) async throws -> LoadedModel {
        let id = demands.withLock { $0.newID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isFirst = demands.withLock { $0.join(reference, id, continuation) }
                if isFirst { loadQueue.async(reference.name) { self.meetDemand(for: reference) } }
                // The handler may have run before there was anything to leave.
                if Task.isCancelled { leaveDemand(for: reference, id) }
            }
        } onCancel: {
            leaveDemand(for: reference, id)
        }
    }

    private func leaveDemand(for reference: ModelReference, _ id: UInt64) {
        demands.withLock { $0.leave(reference, id) }?.resume(throwing: CancellationError())
    }

    /// On ``loadQueue``.
    private func meetDemand(for reference: ModelReference) {
        guard demands.withLock({ $0.isWanted(reference) }) else { return }
        do throws(RecognitionError) {
            let model = try demandedModel(reference)
            for waiting in demands.withLock({ $0.end(reference) }) {
                model.take()
                waiting.resume(returning: model)
            }
            if model.giveBack() { queue.async { model.stop(finishingQueue: true) } }
        } catch {
            for waiting in demands.withLock({ $0.end(reference) }) { waiting.resume(throwing: error) }
        }
    }

    /// The model, taken once. On ``loadQueue``.
    private func demandedModel(_ reference: ModelReference) throws(RecognitionError) -> LoadedModel {
        // It may have been loaded, or failed to, while this waited for its turn.
        let (ready, active, failure) = state.withLock { state in
            (state.take(reference), state.active[reference.name], state.failures[reference.description])
        }
        if let ready { return ready }
        if let failure, failure.instant + limits.retryDelay > .now { throw failure.error }
        return try loadOnQueue(
            reference.name, version: reference.version ?? active, isLeased: true,
            isActivated: reference.version == nil)
    }

    // MARK: Loading

    /// The work of loading, on ``loadQueue``.
    ///
    /// - Parameters:
    ///   - isLeased: whether the model is taken once for the caller.
    ///   - isActivated: whether it answers for its name from now on.
    func loadOnQueue(
        _ name: String, version: String?, isLeased: Bool, isActivated: Bool = true
    ) throws(RecognitionError) -> LoadedModel {
        let reference = ModelReference(name: name, version: version)
        let start = ContinuousClock.now
        do throws(RecognitionError) {
            let entry = try store.open(name, version: version)
            let key = Key(name: name, version: entry.manifest.version)
            let model = try loading.load(entry, shared: sharedEngine(of: entry))
            // A trained version that is only asked for by its number does not come to answer for the name.
            let mayAnswer = store.answersForItsName(name, version: key.version)
            let (room, predecessor) = state.withLock { state -> (Room, LoadedModel?) in
                guard !state.isStopped else { return (.stopped, nil) }
                let room = state.makeRoom(for: model, at: key, within: limits.memory)
                guard case .made = room else { return (room, nil) }
                if isLeased { model.take() }
                state.failures[reference.description] = nil
                if isActivated || state.active[name] == nil && mayAnswer { state.active[name] = key.version }
                return (room, state.slots.updateValue(Slot(model: model, lastUse: .now), forKey: key)?.model)
            }
            switch room {
            case .made(let evicted):
                retire(evicted + [predecessor].compactMap(\.self))
                tellUnloaded(evicted)
            case .tooSmall(let limit):
                model.stop()
                throw .modelTooLarge(name: name, bytes: model.memory, limit: limit)
            case .stopped:
                model.stop()
                throw .stopped
            }
            observer.loaded(
                ModelReference(name: name, version: key.version), seconds: (ContinuousClock.now - start).seconds)
            return model
        } catch {
            switch error {
            case .unknownModel, .stopped: throw error
            default: observer.failedToLoad(reference, error)
            }
            state.withLock { $0.failures[reference.description] = Failure(error: error, instant: .now) }
            throw error
        }
    }

    /// The network of the model that answers by default, with the head of a version that was trained on it; nil where the
    /// two joined are not the version's own network, byte for byte. That model is never unloaded, so sharing its network
    /// holds nothing in memory that would not be there without.
    private func sharedEngine(of entry: ModelStore.Entry) -> TrainedHeadEngine? {
        guard let trained = entry.trainedHead, let reference = try? ModelReference(trained.base),
            let base = state.withLock({ state in
                reference.name == state.defaultName ? state.slot(for: reference)?.model : nil
            }), base.hasFeatures, let baseEntry = try? store.open(reference.name, version: reference.version),
            baseEntry.manifest.sha256 == base.manifest.sha256,
            let network = try? TrainedModel.join(trained.head, to: baseEntry),
            ContentDigest(of: network).hexadecimal == entry.manifest.sha256
        else { return nil }
        return try? TrainedHeadEngine(
            trained.head, on: base.engine, features: ONNXGraft.features, classes: ONNXGraft.classes,
            outputs: entry.manifest.outputTensors)
    }

    func onQueue<Answer: Sendable>(
        _ work: @escaping @Sendable () throws(RecognitionError) -> Answer
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                do throws(RecognitionError) {
                    continuation.resume(returning: try work())
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}

extension ModelRepository {
    /// What comes of finding a model its place.
    enum Room: Sendable {
        /// These have lost theirs to it.
        case made([LoadedModel])
        /// It would not fit even if all that may go went.
        case tooSmall(limit: Int)
        case stopped
    }
}

extension ModelRepository.State {
    /// Evicts the models that were not used for longest until the new one fits the bound.
    ///
    /// - Parameter limit: bytes that all loaded models may take; nil: any.
    mutating func makeRoom(
        for model: LoadedModel, at key: ModelRepository.Key, within limit: Int?
    ) -> ModelRepository.Room {
        guard let limit else { return .made([]) }
        let others = slots.filter { $0.key != key }
        var excess = others.values.reduce(model.memory) { $0 + $1.model.memory } - limit
        var evicted: [ModelRepository.Key] = []
        for (other, slot) in others.sorted(by: { $0.value.lastUse < $1.value.lastUse }) where excess > 0 {
            let isPinned = other.name == defaultName && other.version == active[other.name]
            guard !isPinned else { continue }
            evicted.append(other)
            excess -= slot.model.memory
        }
        guard excess <= 0 else { return .tooSmall(limit: limit) }
        return .made(evicted.compactMap { slots.removeValue(forKey: $0)?.model })
    }

    /// Takes the model that a reference means, if it is loaded, and notes its use.
    mutating func take(_ reference: ModelReference) -> LoadedModel? {
        guard let version = reference.version ?? active[reference.name] else { return nil }
        let key = ModelRepository.Key(name: reference.name, version: version)
        guard let model = slots[key]?.model else { return nil }
        slots[key]?.lastUse = .now
        model.take()
        return model
    }
}
