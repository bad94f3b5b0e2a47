package import Base
import Foundation
import Recognition

/// Cancelling and removing trainings; which versions answer.
extension TrainingService {
    /// Cancels a training, or removes one that is over, with its model.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` for one whose model answers.
    package func delete(_ id: ULID) async throws {
        let record = try record(id)
        guard record.state.isOver else {
            try await cancel(id)
            return
        }
        guard !isDeployed(record) else {
            throw TrainingError.conflict(
                "\(record.options.name)@\(record.result?.version ?? "") answers for its name; "
                    + "DELETE /training/\(id)/deployment first rolls back.")
        }
        if let result = record.result {
            var deployment = recogniser.models.store.deployment(of: result.model) ?? ModelDeployment()
            deployment.forget(result.version)
            let changed = deployment
            try await turn.run(whenFull: { TrainingError.queueFull($0) as any Error }) { [folder] in
                try folder.write(changed, of: result.model)
                try folder.remove(result.model, result.version)
            }
            try? recogniser.models.unload(ModelReference(name: result.model, version: result.version))
        }
        state.withLock { $0.records[id] = nil }
        let path = "\(configuration.directory)/\(id)"
        try await blocking { TrainingUpload.remove(path) }
    }

    func cancel(_ id: ULID) async throws {
        let running = state.withLock { state -> Task<Void, Never>? in
            guard state.running?.id != id else { return state.running?.task }
            state.records[id]?.state = .cancelled
            state.records[id]?.endedAt = Date()
            return nil
        }
        if let running {
            running.cancel()
            await running.value
        } else {
            let record = try record(id)
            try await save(record)
            tell(.changed(record))
        }
    }

    // MARK: Deployment

    /// Has a training's model answer for its name, from the next request on; those under way end with the version that
    /// they began with.
    ///
    /// - Parameter attaches: whether it answers beside its base as well; nil: as the name did before.
    /// - Throws: ``TrainingError/conflict(_:)`` for a training without a model; `RecognitionError`.
    package func deploy(_ id: ULID, attaches: Bool? = nil) async throws -> TrainingRecord {
        let record = try record(id)
        guard let result = record.result else {
            throw TrainingError.conflict(
                record.state.isOver
                    ? "The training \(record.state.rawValue == "failed" ? "failed" : "was cancelled"): it has no model."
                    : "The training is not done yet.")
        }
        try await recogniser.models.load(ModelReference(name: result.model, version: result.version))
        if attaches == true {
            try await blocking { [attached] in try attached.attach(result.model, version: result.version) }
        }
        try await change(result.model) { $0.deploy(result.version) }
        if attaches == false { try await blocking { [attached] in attached.detach(result.model) } }
        tell(.changed(record))
        return record
    }

    /// Has the version answer that did before; none where there was none.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` for a training whose model does not answer.
    package func rollBack(_ id: ULID) async throws -> TrainingRecord {
        let record = try record(id)
        guard let result = record.result, isDeployed(record) else {
            throw TrainingError.conflict(
                "The model of this training does not answer for its name, so there is nothing to roll back.")
        }
        var deployment = recogniser.models.store.deployment(of: result.model) ?? ModelDeployment()
        deployment.rollBack()
        if let version = deployment.version {
            try await recogniser.models.load(ModelReference(name: result.model, version: version))
        }
        try await change(result.model) { $0.rollBack() }
        if deployment.version == nil { try recogniser.models.withdraw(result.model) }
        tell(.changed(record))
        return record
    }

    func change(_ model: String, _ change: @escaping @Sendable (inout ModelDeployment) -> Void) async throws {
        let store = recogniser.models.store
        try await turn.run(whenFull: { TrainingError.queueFull($0) as any Error }) { [folder, attached] in
            var deployment = store.deployment(of: model) ?? ModelDeployment()
            change(&deployment)
            try folder.write(deployment, of: model)
            attached.reload(model)
        }
    }
}
