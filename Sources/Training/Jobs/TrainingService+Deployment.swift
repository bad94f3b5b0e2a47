package import Base
import Foundation
import Recognition
import Storage

/// Cancels and removes trainings, and decides which versions answer.
extension TrainingService {
    /// Cancels a running training. Removes one that is over, with its model.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` if the model of the training is in use, or the training was done before it
    ///   could be cancelled. The saving of a model is not interrupted.
    package func delete(_ id: ULID) async throws {
        let record = try record(id)
        guard record.state.isOver else {
            try await cancel(id)
            guard table.record(id)?.state != .done else {
                throw TrainingError.conflict(
                    "The training was done before it could be cancelled. Another DELETE removes it with its model.")
            }
            return
        }
        // Another process may have changed the deployment.
        await adoptModels()
        let isShadow = shadowTally(record) != nil
        guard !isDeployed(record), !isShadow else {
            throw TrainingError.conflict(
                "\(record.options.name)@\(record.result?.version ?? "") "
                    + (isShadow ? "is compared with the deployed version" : "is deployed")
                    + "; end that first with DELETE /training/\(id)/deployment.")
        }
        if let result = record.result {
            try await change(result.model) { $0.forget(result.version) }
            try await models?.remove(result.model, result.version)
            try await turn.run { [folder] in
                try folder.remove(result.model, result.version)
            }
            try? recogniser.models.unload(ModelReference(name: result.model, version: result.version))
        }
        _ = try await remove(id)
    }

    // MARK: Deployment

    /// Deploys a training's model: it answers for its name from the next request on. Running requests keep the version
    /// with which they began.
    ///
    /// - Parameter attaches: whether the head also answers beside its base; see ``AttachedHeads``. Nil changes nothing.
    /// - Throws: ``TrainingError/conflict(_:)`` if the training has no model; `RecognitionError`.
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
            try await pool.run { [attached] in try attached.attach(result.model, version: result.version) }
        }
        if let attaches { try await models?.attach(result.model, attaches) }
        try await change(result.model) { $0.deploy(result.version) }
        if attaches == false { try await pool.run { [attached] in attached.detach(result.model) } }
        notify(.changed(record))
        return record
    }

    /// Makes a training's model the challenger of the deployed version; see ``ShadowTraffic``. It replaces an earlier
    /// challenger.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` if the training has no model, or no other version of the name is
    ///   deployed; `RecognitionError`.
    package func shadow(_ id: ULID) async throws -> TrainingRecord {
        // Another process may have changed the deployment.
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
        // A model that cannot be loaded is refused now rather than with the first photo.
        try await recogniser.models.withModel(ModelReference(name: result.model, version: result.version)) { _ in }
        try await change(result.model) { $0.shadow = result.version }
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

    /// Deploys the previous version again, or no version if there was none. If the training's model is a challenger,
    /// this ends its comparison instead.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` if the training's model is neither deployed nor a challenger.
    package func rollBack(_ id: ULID) async throws -> TrainingRecord {
        // Another process may have changed the deployment.
        await adoptModels()
        let record = try record(id)
        if let result = record.result, shadowTally(record) != nil {
            try await change(result.model) { $0.shadow = nil }
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
        // After a failure of the database the client may ask again. The second request must not go back one version
        // more.
        try await change(result.model) { if $0.version == result.version { $0.rollBack() } }
        if deployment.version == nil { try recogniser.models.withdraw(result.model) }
        notify(.changed(record))
        return record
    }

    /// - Throws: ``TrainingError/queueFull(_:)`` if too many changes wait.
    func change(_ model: String, _ change: @escaping @Sendable (inout ModelDeployment) -> Void) async throws {
        if let models {
            do {
                // Deployments reach the disk in the order in which they reach the database.
                try await adopting.run {
                    let deployment = try await models.change(model, change)
                    try await put(of: model) { _ in deployment }
                    let setting = SharedModels.Setting(deployment: deployment, isAttached: folder.isAttached(model))
                    followed.withLock { $0[model] = setting }
                }
            } catch let full as AsyncTurns.Full {
                throw TrainingError.queueFull(full.waiting)
            }
            await history.notify(.trainings)
        } else {
            try await put(of: model) { folder in
                var deployment = folder.deployment(of: model)
                change(&deployment)
                return deployment
            }
        }
    }

    /// Writes a deployment to the disk of this process and applies it.
    func put(
        of model: String, _ deployment: @escaping @Sendable (TrainedModelFolder) -> ModelDeployment
    ) async throws {
        try await turn.run { [folder, attached, shadow] in
            // The last version may have been removed, at this process or at another one.
            if FileSystem.isDirectory("\(folder.root)/\(model)") {
                let new = deployment(folder)
                // A version that does not answer can also be removed from a full disk.
                if ModelStore(root: folder.root).deployment(of: model) != new { try folder.write(new, of: model) }
            }
            attached.reload(model)
            shadow.reload(model)
        }
    }
}
