import Base
import Dispatch
import ModelImport

extension ModelRepository {
    /// Runs the body with a model that keeps running until the body has ended, whatever is swapped meanwhile. A model
    /// that is not loaded is loaded first.
    ///
    /// - Throws: ``RecognitionError``, or errors of the body.
    package func withModel<Answer: Sendable>(
        _ reference: ModelReference, _ body: (LoadedModel) async throws -> Answer
    ) async throws -> Answer {
        let model = try await lease(reference)
        defer {
            if model.giveBack() { queue.async { model.stop(finishingQueue: true) } }
        }
        return try await body(model)
    }

    /// Runs the body with a model that has features. A model that is served without them is compiled again with them,
    /// and that copy is dropped after the body.
    ///
    /// - Throws: ``RecognitionError``, or errors of the body.
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
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Answer, any Error>) in
            do throws(RecognitionError) {
                try loadQueue.async(name) { continuation.resume(with: Result(catching: work)) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Loads a version and makes it the active one. Cancelling the task ends its trial and the load.
    package func load(_ reference: ModelReference) async throws {
        let ticket = LoadTicket()
        try await withTaskCancellationHandler {
            try await onLoadQueue(of: reference.name) { () throws(RecognitionError) in
                _ = try self.loadOnQueue(reference.name, version: reference.version, isLeased: false, ticket: ticket)
            }
        } onCancel: {
            ticket.cancel()
        }
    }

    /// Makes another model the default, and loads it first if necessary.
    package func makeDefault(_ reference: ModelReference) async throws {
        try await onQueue { () throws(RecognitionError) in
            try self.store.open(reference.name, version: reference.version).manifest.require(.classification)
        }
        if !isActive(reference) { try await load(reference) }
        state.withLock { $0.defaultName = reference.name }
    }

    /// Unloads models that nobody requested during the idle time.
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

    /// A loaded model, with one use counted for the caller.
    private func lease(_ reference: ModelReference) async throws -> LoadedModel {
        let (ready, failure) = state.withLock { state -> (LoadedModel?, RecognitionError?) in
            if let model = state.take(reference) { return (model, nil) }
            if state.isStopped { return (nil, .stopped) }
            guard let failure = state.failure(of: reference), failure.instant + limits.retryDelay > .now else {
                return (nil, nil)
            }
            return (nil, failure.error)
        }
        if let ready { return ready }
        if let failure { throw failure }
        return try await loadOnDemand(reference)
    }

    // MARK: Waiting

    /// Waits, without a thread, until the model is loaded. The first request starts the load. Cancelling a task ends
    /// its wait.
    private func loadOnDemand(_ reference: ModelReference) async throws -> LoadedModel {
        let id = demands.withLock { $0.newID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isFirst = demands.withLock { $0.join(reference, id, continuation) }
                do throws(RecognitionError) {
                    if isFirst { try loadQueue.async(reference.name) { self.meetDemand(for: reference) } }
                } catch {
                    for waiting in demands.withLock({ $0.end(reference) }) { waiting.resume(throwing: error) }
                }
                // The cancellation handler may have run before the request joined.
                if Task.isCancelled { leaveDemand(for: reference, id) }
            }
        } onCancel: {
            leaveDemand(for: reference, id)
        }
    }

    private func leaveDemand(for reference: ModelReference, _ id: UInt64) {
        let (waiter, ticket) = demands.withLock { $0.leave(reference, id) }
        waiter?.resume(throwing: CancellationError())
        ticket?.cancel()
    }

    /// Loads a demanded model. Runs on ``loadQueue``.
    private func meetDemand(for reference: ModelReference) {
        let ticket = LoadTicket()
        let isWanted = demands.withLock { demands in
            guard demands.isWanted(reference) else { return false }
            demands.begin(reference, ticket)
            return true
        }
        guard isWanted else { return }
        do throws(RecognitionError) {
            let model = try demandedModel(reference, ticket)
            for waiting in demands.withLock({ $0.end(reference) }) {
                model.take()
                waiting.resume(returning: model)
            }
            if model.giveBack() { queue.async { model.stop(finishingQueue: true) } }
        } catch {
            // A new request may have come after the last one left and so cancelled the load.
            if ticket.isCancelled { return meetDemand(for: reference) }
            for waiting in demands.withLock({ $0.end(reference) }) { waiting.resume(throwing: error) }
        }
    }

    /// The model, with one use counted for the caller. Runs on ``loadQueue``.
    private func demandedModel(
        _ reference: ModelReference, _ ticket: LoadTicket
    ) throws(RecognitionError) -> LoadedModel {
        // The model may have been loaded, or failed to load, during the wait.
        let (ready, active, failure) = state.withLock { state in
            (state.take(reference), state.active[reference.name], state.failure(of: reference))
        }
        if let ready { return ready }
        if let failure, failure.instant + limits.retryDelay > .now { throw failure.error }
        return try loadOnQueue(
            reference.name, version: reference.version ?? active, isLeased: true,
            isActivated: reference.version == nil, ticket: ticket)
    }

    // MARK: Loading

    /// Loads a model. Runs on ``loadQueue``.
    ///
    /// - Parameters:
    ///   - isLeased: whether one use of the model is counted for the caller.
    ///   - isActivated: whether it answers for its name from now on.
    ///   - ticket: cancels its trial.
    func loadOnQueue(
        _ name: String, version: String?, isLeased: Bool, isActivated: Bool = true, ticket: LoadTicket = LoadTicket()
    ) throws(RecognitionError) -> LoadedModel {
        let reference = ModelReference(name: name, version: version)
        let start = ContinuousClock.now
        do throws(RecognitionError) {
            // While the ticket is in the list, ``stop()`` can cancel the trial.
            let isStopped = state.withLock { state in
                if !state.isStopped { state.tickets.append(ticket) }
                return state.isStopped
            }
            guard !isStopped else { throw .stopped }
            defer { state.withLock { $0.tickets.removeAll { $0 === ticket } } }
            let entry = try store.open(name, version: version, ticket: ticket)
            let key = Key(name: name, version: entry.manifest.version)
            // A head that was trained here on the default model's network needs no trial.
            let shared = sharedEngine(of: entry)
            if shared == nil { try trial?.run(entry, ticket) }
            let model = try loading.load(entry, shared: shared)
            // A trained version that was requested by its number does not begin to answer for the name.
            let mayAnswer = store.answersForItsName(name, version: key.version)
            let (room, predecessor) = state.withLock { state -> (Room, LoadedModel?) in
                guard !state.isStopped else { return (.stopped, nil) }
                let room = state.makeRoom(for: model, at: key, within: limits.memory)
                guard case .made = room else { return (room, nil) }
                if isLeased { model.take() }
                for loaded in [reference, ModelReference(name: name, version: key.version)] {
                    state.failures[loaded] = nil
                }
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
            state.withLock { $0.failures[reference] = Failure(error: error, instant: .now) }
            throw error
        }
    }

    /// The default model's network with the head of a version trained on it. Nil unless the two joined equal the
    /// version's own network, byte for byte. The default model is never unloaded, so sharing its network costs no extra
    /// memory.
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
        try await inspections.run(whenFull: { _ in RecognitionError.overloaded(retryAfter: .seconds(1)) }, work)
    }
}
