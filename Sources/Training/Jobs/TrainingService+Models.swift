import Base
import Logging
import Recognition
import Storage

/// Shares the trained models with the other processes.
extension TrainingService {
    package func willLookAround() async { await adoptModels() }

    /// Fetches the models that other processes trained, and serves the versions that are deployed. Does nothing if the
    /// history is not shared.
    func adoptModels() async {
        guard let models else { return }
        do {
            try await adopting.run { try await adoptModels(models) }
        } catch is CancellationError {
        } catch {
            logger.warning("Models of other processes cannot be fetched", metadata: ["error": "\(error)"])
        }
    }

    private func adoptModels(_ models: SharedModels) async throws {
        let (removed, settings) = try await models.exchange()
        for reference in removed { try? recogniser.models.unload(reference) }
        for (name, setting) in settings where followed.withLock({ $0[name] }) != setting {
            do {
                try await follow(setting, name)
            } catch {
                // The other models are served all the same.
                logger.error("A model is not served", metadata: ["model": "\(name)", "error": "\(error)"])
            }
        }
    }

    private func follow(_ setting: SharedModels.Setting, _ name: String) async throws {
        if let version = setting.deployment.version {
            if followed.withLock({ $0[name]?.deployment.version }) != version {
                try await recogniser.models.load(ModelReference(name: name, version: version))
            }
            if setting.isAttached { try await pool.run { [attached] in try attached.attach(name, version: version) } }
        } else {
            try? recogniser.models.withdraw(name)
        }
        try await put(of: name) { _ in setting.deployment }
        if !setting.isAttached { try await pool.run { [attached] in attached.detach(name) } }
        followed.withLock { $0[name] = setting }
        for record in records where record.result?.model == name { notify(.changed(record)) }
    }
}
