import Base
import Synchronization

/// What there is to say of a model that lies in the folder or is loaded.
package struct ModelStatus: Sendable {
    /// One version of it.
    package struct Version: Sendable {
        package let version: String
        /// nil while it is not loaded.
        package let model: LoadedModel?
        /// Whether it answers requests that name no version.
        package let isActive: Bool
        /// Since it last answered.
        package let idle: Duration?
    }

    package let name: String
    /// Earliest first.
    package let versions: [Version]
    package let isDefault: Bool
    /// Why it could not be loaded when that was last tried; nil when that went well.
    package let failure: RecognitionError?

    /// The loaded model that answers for the name.
    package var active: LoadedModel? { versions.first { $0.isActive }?.model }
}

extension ModelRepository {
    /// Every model in the folder, and those that are loaded though their folder is gone, by name.
    package func catalogue() async throws -> [ModelStatus] {
        try await onQueue { () throws(RecognitionError) in
            let names = Set(self.store.names).union(self.readyModels)
            return names.sorted().map { self.status(of: $0) }
        }
    }

    /// Names of the models in the folder and of those that are loaded, sorted.
    package func names() async throws -> [String] {
        try await onQueue { () throws(RecognitionError) in Set(self.store.names).union(self.readyModels).sorted() }
    }

    /// The model of a reference.
    ///
    /// - Throws: ``RecognitionError/unknownModel(_:)``, for a version that is not there, too.
    package func status(of reference: ModelReference) async throws -> ModelStatus {
        let status = try await status(of: reference.name)
        if let version = reference.version, !status.versions.contains(where: { $0.version == version }) {
            throw RecognitionError.unknownModel(reference.description)
        }
        return status
    }

    /// One model.
    ///
    /// - Throws: ``RecognitionError/unknownModel(_:)``.
    package func status(of name: String) async throws -> ModelStatus {
        let status = try await onQueue { () throws(RecognitionError) in self.status(of: name) as ModelStatus }
        guard !status.versions.isEmpty else { throw RecognitionError.unknownModel(name) }
        return status
    }

    /// Bytes that each version that is loaded is reckoned to hold.
    package var loadedMemory: [(model: ModelReference, bytes: Int)] {
        state.withLock { state in
            state.slots.map { (ModelReference(name: $0.name, version: $0.version), $1.model.memory) }
        }
    }

    private func status(of name: String) -> ModelStatus {
        let inFolder = store.versions(of: name)
        return state.withLock { state in
            let loaded = state.slots.keys.filter { $0.name == name }.map(\.version)
            let versions = Set(inFolder).union(loaded).sorted(by: ModelReference.isEarlier).map { version in
                let slot = state.slots[Key(name: name, version: version)]
                return ModelStatus.Version(
                    version: version, model: slot?.model, isActive: state.active[name] == version,
                    idle: slot.map { .now - $0.lastUse })
            }
            let failure = state.failures.filter { $0.key == name || $0.key.hasPrefix(name + "@") }
                .max { $0.value.instant < $1.value.instant }
            return ModelStatus(
                name: name, versions: versions, isDefault: state.defaultName == name, failure: failure?.value.error)
        }
    }

    /// Names of the models, loaded or not, whose boxes can be read, sorted.
    package func detectors() async throws -> [String] {
        try await onQueue { () throws(RecognitionError) in
            Set(self.store.names).union(self.readyModels).filter { self.isDetector($0) }.sorted()
        }
    }

    /// Reading a manifest may mean to look into the weights, so what was found is kept until a file changes.
    private func isDetector(_ name: String) -> Bool {
        if let model = try? self.model(name) { return model.detector != nil }
        let stamp = store.stamp(of: name)
        if let known = state.withLock({ $0.detectors[name] }), known.stamp == stamp { return known.isDetector }
        let isDetector = (try? store.open(name))?.manifest.detection != nil
        state.withLock { $0.detectors[name] = (stamp, isDetector) }
        return isDetector
    }
}
