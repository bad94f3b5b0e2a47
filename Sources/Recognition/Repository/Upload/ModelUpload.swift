import Base
import Foundation
import ModelImport

/// The files of a model that is being uploaded. They are put in place together after a helper process has run the model
/// on a picture, or not at all.
///
/// Until then they are in `<models>/.upload/<id>/`, which is removed with this object.
package final class ModelUpload: Sendable {
    /// The most bytes of all its files.
    package static let maximumBytes = ModelBounds.fileBytes
    /// The most files of one model.
    private static let fileLimit = 8
    private static let folderName = ".upload"

    private struct State {
        var files: [String] = []
        var descriptor: Int32?
        /// The bytes of the current file, and of all files.
        var position = 0
        var total = 0
    }

    private let root: String
    private let folder: String
    private let state = Locked(State())
    private let pool = BlockingPool(label: "menagerie.models.upload", width: 1, maximumPending: 64)

    /// - Parameters:
    ///   - root: the folder of models.
    ///   - expected: the bytes that will be appended, if that is known.
    init(into root: String, expected: Int?) throws(FileError) {
        self.root = root
        let uploads = "\(root)/\(Self.folderName)"
        folder = "\(uploads)/\(ULID.next())"
        try FileSystem.makeDirectory(uploads, flushing: false)
        if let expected { try FileSystem.requireRoom(for: expected, in: uploads, folder) }
        try FileSystem.makeDirectory(folder, flushing: false)
    }

    deinit {
        if let descriptor = state.withLock({ $0.descriptor }) { FileSystem.closeDescriptor(descriptor) }
        discard()
    }

    /// Removes the files that are not in place. Blocks.
    func discard() { try? FileManager.default.removeItem(atPath: folder) }

    /// Removes a model. A rename makes it disappear as a whole, also if the service is killed meanwhile. Blocks.
    static func remove(_ model: String, from root: String) throws(FileError) {
        let removed = "\(root)/\(folderName)/\(ULID.next())"
        try FileSystem.makeDirectory("\(root)/\(folderName)", flushing: false)
        try FileSystem.move(model, to: removed)
        try? FileManager.default.removeItem(atPath: removed)
    }

    /// Removes the leftovers of a killed service. Blocks.
    static func sweep(_ root: String) {
        try? FileManager.default.removeItem(atPath: "\(root)/\(folderName)")
    }

    /// Begins the next file.
    ///
    /// - Parameter name: the name that the client gave.
    /// - Throws: ``ModelUploadError``, `FileError`.
    package func begin(_ name: String) async throws {
        guard let file = ModelDownload.fileName(name) else { throw ModelUploadError.fileName(name) }
        try await pool.receive { [self] in
            try close()
            let files = state.withLock { $0.files }
            guard files.count < Self.fileLimit else { throw ModelUploadError.tooManyFiles(limit: Self.fileLimit) }
            guard !files.contains(file), file != ModelDeployment.file else { throw ModelUploadError.fileName(name) }
            let descriptor = try FileSystem.create("\(folder)/\(file)", [])
            state.withLock { state in
                state.files.append(file)
                (state.descriptor, state.position) = (descriptor, 0)
            }
        }
    }

    /// Appends bytes to the current file. Calls must not overlap.
    ///
    /// - Throws: ``ModelUploadError``, or `FileError`, such as `diskFull` before the disk is entirely full.
    package func append(_ bytes: [UInt8]) async throws {
        try await pool.receive { [self] in
            let (file, descriptor, position, total) = state.withLock {
                ($0.files.last ?? "", $0.descriptor, $0.position, $0.total)
            }
            guard let descriptor else { throw ModelUploadError.noModel([]) }
            let limit = Self.isText(file) ? ModelBounds.textBytes : ModelBounds.fileBytes
            guard position + bytes.count <= limit, total + bytes.count <= ModelBounds.fileBytes else {
                throw ModelUploadError.tooLarge(file, limit: limit)
            }
            try FileSystem.requireRoom(for: bytes.count, in: folder, "\(folder)/\(file)")
            try FileSystem.write(bytes, to: descriptor, at: position, "\(folder)/\(file)")
            state.withLock { state in
                state.position += bytes.count
                state.total += bytes.count
            }
        }
    }

    /// Tries the model and moves it into the folder of models. Blocks for the time of the trial.
    ///
    /// - Parameters:
    ///   - name: nil takes the manifest's name, or derives it from the file's name.
    ///   - version: nil takes the manifest's version, or `1`.
    /// - Throws: ``ModelUploadError``, `FileError`, or `RecognitionError.brokenModel(name:fault:reason:)`.
    func place(
        name: String?, version: String?, store: ModelStore, trial: ModelTrial?, inspection: ModelInspection,
        ticket: LoadTicket
    ) throws -> ModelReference {
        try close()
        let files = state.withLock { $0.files }
        let models = files.filter { ModelFormat(fileName: $0) != nil }
        guard let model = models.first else { throw ModelUploadError.noModel(files) }
        try nameTexts(of: files)
        let given = given
        guard models.count == 1 || given != nil else { throw ModelUploadError.severalModels(models) }
        let (name, version) = (
            name ?? given?.name ?? ManifestProposal.name(from: model), version ?? given?.version ?? "1"
        )
        try store.checkRoom(for: name, version: version)
        do {
            if given == nil {
                let proposal = try inspection.inspect("\(folder)/\(model)", name, version, ticket)
                try DurableFile.replace("\(folder)/manifest.json", with: Array(try proposal.manifest.json()))
            }
            let entry = try ModelStore.entry(
                in: folder, name: name, version: version, inspection: inspection, ticket: ticket)
            try trial?.run(entry, ticket, isAnew: true)
        } catch let error as RecognitionError {
            throw hidingFolder(error, name)
        }
        try FileSystem.synchronizeDirectory(folder)
        try FileSystem.makeDirectory("\(root)/\(name)")
        do throws(FileError) {
            // Another upload of the same model may have been faster. An existing folder is never replaced.
            try FileSystem.move(folder, to: "\(root)/\(name)/\(version)")
        } catch {
            guard case .failed(_, let code) = error, code == EEXIST || code == ENOTEMPTY else { throw error }
            throw ModelUploadError.exists(ModelReference(name: name, version: version))
        }
        try FileSystem.synchronizeDirectory("\(root)/\(name)")
        return ModelReference(name: name, version: version)
    }

    // MARK: Files

    /// Gives text files the names that a model folder uses, if their meaning is unambiguous.
    private func nameTexts(of files: [String]) throws {
        func only(_ file: String, among files: [String]) throws {
            guard files.count == 1, files[0] != file else { return }
            try FileSystem.move("\(folder)/\(files[0])", to: "\(folder)/\(file)")
        }
        let descriptions = files.filter { $0.lowercased().hasSuffix(".json") }
        try only("manifest.json", among: descriptions)
        // A manifest names its labels itself.
        guard descriptions.isEmpty else { return }
        try only("labels.txt", among: files.filter { Self.isText($0) })
    }

    private static func isText(_ file: String) -> Bool {
        ModelFormat(fileName: file) == nil && !file.lowercased().hasSuffix(".bin")
    }

    private func close() throws(FileError) {
        guard let descriptor = state.withLock({ $0.descriptor.take() }) else { return }
        try FileSystem.synchronizeAndClose(descriptor, folder)
    }

    /// Removes the folder of the upload from error messages, because it is internal.
    private func hidingFolder(_ error: RecognitionError, _ name: String) -> RecognitionError {
        switch error {
        case .brokenModel(let name, let fault, let reason):
            .brokenModel(name: name, fault: fault, reason: reason.replacing("\(folder)/", with: ""))
        case .engine(let reason):
            .brokenModel(name: name, fault: .network, reason: reason.replacing("\(folder)/", with: ""))
        default: error
        }
    }

    /// The name and the version in the manifest. Nil without a manifest. An unreadable one is reported when the model
    /// is opened.
    private var given: (name: String?, version: String?)? {
        FileManager.default.contents(atPath: folder + "/manifest.json").map { data in
            let members = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
            return (members?["name"] as? String, members?["version"] as? String)
        }
    }
}

/// The reason why an uploaded model is refused, or why a model is not removed.
package enum ModelUploadError: Error, Sendable, Equatable {
    /// The service has no folder to keep models in.
    case off
    /// Too many uploads run at the same time.
    case busy
    /// The file name is invalid or was used twice.
    case fileName(String)
    case tooManyFiles(limit: Int)
    /// The files are too large, in bytes.
    case tooLarge(String, limit: Int)
    /// None of these files is a model.
    case noModel([String])
    /// Several of the files are models, and no manifest says which one counts.
    case severalModels([String])
    case name(String)
    case version(String)
    case exists(ModelReference)
    /// The name belongs to a model in the operator's folder.
    case taken(String)
    /// Trainings make the versions of this model.
    case trained(String)
    /// The model was not uploaded. It is in the operator's folder.
    case notOurs(String)
}

extension BlockingPool {
    /// Runs the body and returns its result. Throws ``ModelUploadError/busy`` if too many others wait.
    func receive<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run(whenFull: { _ in ModelUploadError.busy as any Error }, body)
    }
}
