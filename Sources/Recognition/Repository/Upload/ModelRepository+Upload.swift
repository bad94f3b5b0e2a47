import Base
import Foundation
import ModelImport

/// Uploading and removing models.
extension ModelRepository {
    /// A place for the files of a new model.
    ///
    /// - Parameter expected: their bytes, if that is known.
    /// - Throws: ``ModelUploadError/off``, ``ModelUploadError/busy``, `FileError`.
    package func newUpload(expected: Int? = nil) async throws -> ModelUpload {
        guard let root = store.writableRoot else { throw ModelUploadError.off }
        return try await uploads.receive { [self] in
            // No other upload begins before the leftovers are gone.
            sweepsUploads.withLock { sweeps in
                if sweeps { ModelUpload.sweep(root) }
                sweeps = false
            }
            return try ModelUpload(into: root, expected: expected)
        }
    }

    /// Refuses an upload early if it could not be put in place.
    ///
    /// - Throws: ``ModelUploadError``.
    package func checkUpload(name: String?, version: String?) async throws {
        try await uploads.receive { [store] in
            if let version, !ModelReference.isVersion(version) { throw ModelUploadError.version(version) }
            if let name { try store.checkRoom(for: name, version: version ?? "1") }
        }
    }

    /// Tries an uploaded model in a helper process and puts it among the models. The first request loads it. Cancelling
    /// the task ends the trial.
    ///
    /// - Throws: ``ModelUploadError``, ``RecognitionError``, `FileError`.
    package func accept(_ upload: ModelUpload, name: String?, version: String?) async throws -> ModelReference {
        let ticket = LoadTicket()
        let inspection = trial?.inspection ?? .here
        return try await withTaskCancellationHandler {
            try await uploads.receive { [self] in
                // Nothing is left when the client has its answer, although this thread may hold the upload longer.
                defer { upload.discard() }
                return try upload.place(
                    name: name, version: version, store: store, trial: trial, inspection: inspection, ticket: ticket)
            }
        } onCancel: {
            ticket.cancel()
        }
    }

    /// Unloads one version or all versions of an uploaded model and removes their files.
    ///
    /// - Throws: ``ModelUploadError/notOurs(_:)``, ``ModelUploadError/trained(_:)``,
    ///   `RecognitionError.unknownModel(_:)`, or `RecognitionError.modelInUse(_:)` for the default model.
    package func remove(_ reference: ModelReference) async throws {
        guard let root = store.writableRoot else { throw ModelUploadError.notOurs(reference.name) }
        try await uploads.receive { [self] in
            let (name, folder) = (reference.name, "\(root)/\(reference.name)")
            let versions = store.versions(of: name)
            guard !versions.isEmpty, reference.version.map(versions.contains) ?? true else {
                throw RecognitionError.unknownModel(reference.description)
            }
            guard store.deployment(of: name) == nil else { throw ModelUploadError.trained(name) }
            let target = reference.version.map { "\(folder)/\($0)" } ?? folder
            guard FileSystem.isDirectory(target) else { throw ModelUploadError.notOurs(name) }
            if versions.count == 1 || reference.version == nil { try withdraw(name) } else { try unload(reference) }
            try ModelUpload.remove(target, from: root)
            FileSystem.removeEmptyDirectory(folder)
            state.withLock { state in
                // Another version answers from now on.
                if state.active[name] == reference.version { state.active[name] = nil }
                state.failures = state.failures.filter { $0.key.name != name }
            }
        }
    }

    /// Replaces the notes in the manifest of one version of an uploaded model. What is loaded goes on answering.
    ///
    /// - Parameter reference: without a version, the active one is meant, otherwise the latest.
    /// - Throws: ``ModelUploadError/notOurs(_:)``, ``ModelUploadError/trained(_:)``,
    ///   `RecognitionError.unknownModel(_:)`, or an error of the file system.
    package func setNotes(_ notes: [String], of reference: ModelReference) async throws {
        guard let root = store.writableRoot else { throw ModelUploadError.notOurs(reference.name) }
        try await uploads.receive { [self] in
            let (name, versions) = (reference.name, store.versions(of: reference.name))
            let active = state.withLock { $0.active[name] }
            guard let version = reference.version ?? active ?? versions.last, versions.contains(version) else {
                throw RecognitionError.unknownModel(reference.description)
            }
            guard store.deployment(of: name) == nil else { throw ModelUploadError.trained(name) }
            let path = "\(root)/\(name)/\(version)/manifest.json"
            // Keys that this release does not know stay as they are.
            guard let bytes = try FileSystem.load(path, limit: ModelBounds.textBytes),
                var manifest = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
            else { throw ModelUploadError.notOurs(name) }
            manifest["notes"] = notes
            let data = try JSONSerialization.data(
                withJSONObject: manifest, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
            try DurableFile.replace(path, with: Array(data))
        }
    }
}

extension ModelStore {
    /// The folder for new models, shared with the trained ones. Nil if there is none.
    var writableRoot: String? { roots.count > 1 ? roots.last : nil }

    /// Whether a model is in the folder for uploads and no training made it.
    func mayRemove(_ name: String) -> Bool {
        writableRoot.map { FileSystem.isDirectory("\($0)/\(name)") } == true && deployment(of: name) == nil
    }

    /// - Throws: ``ModelUploadError`` if the model cannot be put there.
    func checkRoom(for name: String, version: String) throws(ModelUploadError) {
        guard ModelReference.isName(name) else { throw .name(name) }
        guard ModelReference.isVersion(version) else { throw .version(version) }
        guard deployment(of: name) == nil else { throw .trained(name) }
        // The latest version answers, so an upload could replace the default model at the next start.
        guard roots.dropLast().allSatisfy({ versions(in: "\($0)/\(name)").isEmpty }) else { throw .taken(name) }
        guard !versions(of: name).contains(version) else {
            throw .exists(ModelReference(name: name, version: version))
        }
    }
}
