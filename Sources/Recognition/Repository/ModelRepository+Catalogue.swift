import Base

/// The state of a model that is in the folder or loaded.
package struct ModelStatus: Sendable {
    /// One version of it.
    package struct Version: Sendable {
        package let version: String
        /// Nil while it is not loaded.
        package let model: LoadedModel?
        /// Whether it answers requests that name no version.
        package let isActive: Bool
        /// The time since it last answered.
        package let idle: Duration?
    }

    /// The description of a version from its files, loaded or not.
    package struct Description: Sendable {
        package let version: String
        /// Nil if it is unreadable.
        package let manifest: ModelManifest?
        /// The notes in its files, which may be newer than those of the loaded version. Nil if there are none.
        package let notes: [String]?
        /// The size of its weights. Nil if they are unreadable.
        package let bytes: Int?
    }

    package let name: String
    /// Sorted, earliest first.
    package let versions: [Version]
    /// The requested version, otherwise the active one, otherwise the latest.
    package let described: Description
    package let isDefault: Bool
    /// Whether it was uploaded, and may be removed.
    package let isRemovable: Bool
    /// The reason why its last load failed, or why its manifest is unreadable. Nil if neither is known.
    package let failure: RecognitionError?
}

extension ModelRepository {
    /// Every model in the folder, and loaded ones whose folder is gone, sorted by name.
    package func catalogue() async throws -> [ModelStatus] {
        try await onQueue { () throws(RecognitionError) in
            self.knownNames.sorted().map { self.readStatus(of: ModelReference(name: $0)) }
        }
    }

    /// The names of the models in the folder and of the loaded ones, sorted.
    package func names() async throws -> [String] {
        try await onQueue { () throws(RecognitionError) in self.knownNames.sorted() }
    }

    /// The names of the models in the folder and of the loaded ones. Blocks.
    private var knownNames: Set<String> { Set(store.names).union(readyModels) }

    /// The model that a reference names.
    ///
    /// - Throws: ``RecognitionError/unknownModel(_:)``, also for an unknown version.
    package func status(of reference: ModelReference) async throws -> ModelStatus {
        let status = try await onQueue { () throws(RecognitionError) in self.readStatus(of: reference) }
        guard !status.versions.isEmpty else { throw RecognitionError.unknownModel(reference.name) }
        if let version = reference.version, !status.versions.contains(where: { $0.version == version }) {
            throw RecognitionError.unknownModel(reference.description)
        }
        return status
    }

    /// The estimated memory of each loaded version, in bytes.
    package var loadedMemory: [(model: ModelReference, bytes: Int)] {
        state.withLock { state in
            state.slots.map { (ModelReference(name: $0.name, version: $0.version), $1.model.memory) }
        }
    }

    private func readStatus(of reference: ModelReference) -> ModelStatus {
        let name = reference.name
        let inFolder = store.versions(of: name)
        let (versions, failure, isDefault) = state.withLock { state in
            let loaded = state.slots.keys.filter { $0.name == name }.map(\.version)
            let versions = Set(inFolder).union(loaded).sorted(by: ModelReference.isEarlier).map { version in
                let slot = state.slots[Key(name: name, version: version)]
                return ModelStatus.Version(
                    version: version, model: slot?.model, isActive: state.active[name] == version,
                    idle: slot.map { .now - $0.lastUse })
            }
            let failure = state.failures.filter { $0.key.name == name }.max { $0.value.instant < $1.value.instant }
            return (versions, failure?.value.error, state.defaultName == name)
        }
        let wanted = reference.version ?? versions.first(where: \.isActive)?.version
        let described = versions.first { $0.version == wanted } ?? versions.last
        let files = described.map { facts(of: name, version: $0.version) }
        return ModelStatus(
            name: name, versions: versions,
            described: .init(
                version: described?.version ?? "", manifest: described?.model?.manifest ?? files?.manifest,
                notes: (files?.manifest ?? described?.model?.manifest)?.notes, bytes: files?.bytes),
            isDefault: isDefault, isRemovable: !isDefault && store.mayRemove(name),
            failure: failure ?? (described?.model == nil ? files?.error : nil))
    }

    /// The names of models with readable boxes, loaded or not, sorted.
    package func detectors() async throws -> [String] {
        try await onQueue { () throws(RecognitionError) in
            self.knownNames.filter { name in
                if let model = try? self.model(name) { return model.detector != nil }
                let version = self.store.answeringVersion(of: name)
                return version.flatMap { self.facts(of: name, version: $0).manifest?.detection } != nil
            }.sorted()
        }
    }

    /// The facts about a version from its files. Reading a manifest may involve the weights, so the result is cached
    /// until a file changes.
    private func facts(of name: String, version: String) -> ModelFacts {
        let (key, stamp) = (Key(name: name, version: version), store.stamp(of: name))
        if let known = state.withLock({ $0.facts[key] }), known.stamp == stamp { return known }
        var facts = ModelFacts(stamp: stamp)
        do {
            let entry = try store.open(name, version: version)
            facts.manifest = entry.manifest
            let files = [entry.path, entry.binaryPath].compactMap(\.self) + entry.cascadePaths
            let sizes = files.compactMap { FileSystem.attributes($0)?.size }
            facts.bytes = sizes.count == files.count ? sizes.reduce(0, +) : nil
        } catch {
            facts.error = error
        }
        // The queue was full. A later attempt may succeed.
        if case .overloaded = facts.error { return facts }
        let found = facts
        state.withLock { state in
            // The stamp is that of all versions. With another one they are gone, or different.
            state.facts = state.facts.filter { $0.key.name != name || $0.value.stamp == stamp }
            state.facts[key] = found
        }
        return found
    }
}

/// The facts found in the files of a version, loaded or not.
struct ModelFacts: Sendable {
    /// The state of the files at that time.
    let stamp: [String]
    var manifest: ModelManifest?
    /// The size of its weights.
    var bytes: Int?
    /// The reason why the manifest is unreadable.
    var error: RecognitionError?
}
