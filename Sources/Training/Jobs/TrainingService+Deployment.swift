package import Base
import Foundation
import History
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
        // Which version answers may be news of another replica.
        await adoptModels()
        let isShadow = shadowTally(record) != nil
        guard !isDeployed(record), !isShadow else {
            throw TrainingError.conflict(
                "\(record.options.name)@\(record.result?.version ?? "") answers \(isShadow ? "beside" : "for") its name; "
                    + "DELETE /training/\(id)/deployment first \(isShadow ? "ends that" : "rolls back").")
        }
        if let result = record.result {
            try await change(result.model) { $0.forget(result.version) }
            try await models?.remove(result.model, result.version)
            try await turn.run(whenFull: { TrainingError.queueFull($0) as any Error }) { [folder] in
                try folder.remove(result.model, result.version)
            }
            try? recogniser.models.unload(ModelReference(name: result.model, version: result.version))
        }
        _ = try await remove(id)
    }

    // MARK: Deployment

    /// Has a training's model answer for its name, from the next request on; those under way end with the version that
    /// they began with.
    ///
    /// - Parameter attaches: whether it answers beside its base as well; nil: as the name did before.
    /// - Throws: ``TrainingError/conflict(_:)`` for a training without a model; `RecognitionError`.
    package func deploy(_ id: ULID, attaches: Bool? = nil) async throws -> TrainingRecord {
        let (record, result) = try trained(id)
        try await recogniser.models.load(ModelReference(name: result.model, version: result.version))
        if attaches == true {
            try await recogniser.models.withModel(ModelReference(result.base)) { base in
                guard base.hasFeatures else {
                    throw TrainingError.conflict(
                        "\(result.base) answers without features, so a head cannot be added to its answer; "
                            + "model=\(result.model) answers by itself.")
                }
            }
            try await blocking { [attached] in try attached.attach(result.model, version: result.version) }
        }
        if let attaches { try await models?.attach(result.model, attaches) }
        try await change(result.model) { $0.deploy(result.version) }
        if attaches == false { try await blocking { [attached] in attached.detach(result.model) } }
        notify(.changed(record))
        return record
    }

    /// Has a training's model answer beside the version that answers for its name: see ``ShadowTraffic``. A challenger that
    /// there was is none any more.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` for a training without a model, and where no other version answers for the
    ///   name; `RecognitionError`.
    package func shadow(_ id: ULID) async throws -> TrainingRecord {
        // Which version answers may be news of another replica.
        await adoptModels()
        let (record, result) = try trained(id)
        guard !isDeployed(record) else {
            throw TrainingError.conflict(
                "\(result.model)@\(result.version) answers for its name itself; another version can answer beside it.")
        }
        guard recogniser.models.store.deployment(of: result.model)?.version != nil else {
            throw TrainingError.conflict(
                "No version answers for “\(result.model)” yet, so none can answer beside it: deploy one first.")
        }
        // One that cannot be loaded is refused now, and not with the first photo.
        try await recogniser.models.withModel(ModelReference(name: result.model, version: result.version)) { _ in }
        try await change(result.model) { $0.shadow(by: result.version) }
        notify(.changed(record))
        return record
    }

    private func trained(_ id: ULID) throws -> (TrainingRecord, TrainingRecord.Result) {
        let record = try record(id)
        guard let result = record.result else {
            throw TrainingError.conflict(
                record.state.isOver
                    ? "The training \(record.state.rawValue == "failed" ? "failed" : "was cancelled"): it has no model."
                    : "The training is not done yet.")
        }
        return (record, result)
    }

    /// Has the version answer that did before; none where there was none. One that answers beside another does so no more.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` for a training whose model does not answer.
    package func rollBack(_ id: ULID) async throws -> TrainingRecord {
        // Which version answers may be news of another replica.
        await adoptModels()
        let record = try record(id)
        if let result = record.result, shadowTally(record) != nil {
            try await change(result.model) { $0.shadow(by: nil) }
            notify(.changed(record))
            return record
        }
        guard let result = record.result, isDeployed(record) else {
            throw TrainingError.conflict(
                "The model of this training does not answer for its name, so there is nothing to roll back.")
        }
        var deployment = recogniser.models.store.deployment(of: result.model) ?? ModelDeployment()
        deployment.rollBack()
        if let version = deployment.version {
            try await recogniser.models.load(ModelReference(name: result.model, version: version))
        }
        // Asked twice, as it may be where the database went away, it goes back once.
        try await change(result.model) { if $0.version == result.version { $0.rollBack() } }
        if deployment.version == nil { try recogniser.models.withdraw(result.model) }
        notify(.changed(record))
        return record
    }

    func change(_ model: String, _ change: @escaping @Sendable (inout ModelDeployment) -> Void) async throws {
        if let models {
            let deployment = try await models.change(model, change)
            try await put(deployment, of: model)
            let setting = SharedModels.Setting(deployment: deployment, isAttached: folder.isAttached(model))
            followed.withLock { $0[model] = setting }
            await history.notify(.trainings)
        } else {
            try await turn.run(whenFull: { TrainingError.queueFull($0) as any Error }) { [folder, attached, shadow] in
                var deployment = folder.deployment(of: model)
                change(&deployment)
                try folder.write(deployment, of: model)
                attached.reload(model)
                shadow.reload(model)
            }
        }
    }

    /// Puts down which version answers here.
    func put(_ deployment: ModelDeployment, of model: String) async throws {
        try await turn.run(whenFull: { TrainingError.queueFull($0) as any Error }) { [folder, attached, shadow] in
            try folder.write(deployment, of: model)
            attached.reload(model)
            shadow.reload(model)
        }
    }
}
