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

    /// What a version is by its files, loaded or not.
    package struct Description: Sendable {
        package let version: String
        /// nil where it cannot be read.
        package let manifest: ModelManifest?
        /// Of its files of weights; nil where they cannot be read.
        package let bytes: Int?
    }

    package let name: String
    /// Earliest first.
    package let versions: [Version]
    /// The version that was asked for; otherwise the active one, or the latest.
    package let described: Description
    package let isDefault: Bool
    /// Whether it was sent here, and may be removed.
    package let isRemovable: Bool
    /// Why it could not be loaded when that was last tried, or why its manifest cannot be read; nil where neither is known.
    package let failure: RecognitionError?

    /// The loaded model that answers for the name.
    package var active: LoadedModel? { versions.first { $0.isActive }?.model }
}

extension ModelRepository {
    /// Every model in the folder, and those that are loaded though their folder is gone, by name.
    package func catalogue() async throws -> [ModelStatus] {
        try await onQueue { () throws(RecognitionError) in
            let names = Set(self.store.names).union(self.readyModels)
            return names.sorted().map { self.status(of: $0, describing: nil) }
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
        let status = try await status(of: reference.name, version: reference.version)
        if let version = reference.version, !status.versions.contains(where: { $0.version == version }) {
            throw RecognitionError.unknownModel(reference.description)
        }
        return status
    }

    /// One model.
    ///
    /// - Parameter version: the one to describe; nil: the active one, or the latest.
    /// - Throws: `RecognitionError.unknownModel(_:)`.
    package func status(of name: String, version: String? = nil) async throws -> ModelStatus {
        let status = try await onQueue { () throws(RecognitionError) in self.status(of: name, describing: version) }
        guard !status.versions.isEmpty else { throw RecognitionError.unknownModel(name) }
        return status
    }

    /// Bytes that each version that is loaded is reckoned to hold.
    package var loadedMemory: [(model: ModelReference, bytes: Int)] {
        state.withLock { state in
            state.slots.map { (ModelReference(name: $0.name, version: $0.version), $1.model.memory) }
        }
    }

    private func status(of name: String, describing wanted: String?) -> ModelStatus {
        let inFolder = store.versions(of: name)
        let (versions, failure, isDefault) = state.withLock { state in
            let loaded = state.slots.keys.filter { $0.name == name }.map(\.version)
            let versions = Set(inFolder).union(loaded).sorted(by: ModelReference.isEarlier).map { version in
                let slot = state.slots[Key(name: name, version: version)]
                return ModelStatus.Version(
                    version: version, model: slot?.model, isActive: state.active[name] == version,
                    idle: slot.map { .now - $0.lastUse })
            }
            let failure = state.failures.filter { $0.key == name || $0.key.hasPrefix(name + "@") }
                .max { $0.value.instant < $1.value.instant }
            return (versions, failure?.value.error, state.defaultName == name)
        }
        let described =
            versions.first { wanted.map { [$0] }?.contains($0.version) ?? $0.isActive } ?? versions.last
        let files = described.map { look(at: name, version: $0.version) }
        return ModelStatus(
            name: name, versions: versions,
            described: .init(
                version: described?.version ?? "", manifest: described?.model?.manifest ?? files?.manifest,
                bytes: files?.bytes),
            isDefault: isDefault, isRemovable: !isDefault && store.mayRemove(name),
            failure: failure ?? (described?.model == nil ? files?.error : nil))
    }

    /// Names of the models, loaded or not, whose boxes can be read, sorted.
    package func detectors() async throws -> [String] {
        try await onQueue { () throws(RecognitionError) in
            Set(self.store.names).union(self.readyModels).filter { self.isDetector($0) }.sorted()
        }
    }

    private func isDetector(_ name: String) -> Bool {
        if let model = try? self.model(name) { return model.detector != nil }
        let version = store.deployment(of: name).map { $0.version } ?? store.versions(of: name).last
        return version.flatMap { look(at: name, version: $0).manifest?.detection } != nil
    }

    /// What a version is by its files. Reading a manifest may mean to look into the weights, so what was found is kept until
    /// a file changes.
    private func look(at name: String, version: String) -> ModelLook {
        let (key, stamp) = (Key(name: name, version: version), store.stamp(of: name))
        if let known = state.withLock({ $0.looks[key] }), known.stamp == stamp { return known }
        var look = ModelLook(stamp: stamp)
        do {
            let entry = try store.open(name, version: version)
            look.manifest = entry.manifest
            let files = [entry.path, entry.binaryPath].compactMap(\.self) + entry.cascadePaths
            let sizes = files.compactMap { FileSystem.attributes($0)?.size }
            look.bytes = sizes.count == files.count ? sizes.reduce(0, +) : nil
        } catch {
            look.error = error
        }
        // There was no room to look; another time there may be.
        if case .overloaded = look.error { return look }
        let found = look
        state.withLock { $0.looks[key] = found }
        return found
    }
}

/// What was found in the files of a version that need not be loaded.
struct ModelLook: Sendable {
    /// The files' state at that time.
    let stamp: [String]
    var manifest: ModelManifest?
    /// Of its files of weights.
    var bytes: Int?
    /// Why the manifest cannot be read.
    var error: RecognitionError?
}
