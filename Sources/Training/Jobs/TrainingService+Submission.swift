import Base
import Foundation
package import Recognition
import Storage

/// Accepts trainings and evaluations.
extension TrainingService {
    /// - Throws: ``TrainingError/invalidName(_:)``, ``TrainingError/takenName(_:)``, ``TrainingError/queueFull(_:)``,
    ///   `RecognitionError.unknownModel(_:)` for the base, or `FileError` if no model can be written.
    package func check(_ options: TrainingOptions) async throws {
        guard ModelReference.isName(options.name) else { throw TrainingError.invalidName(options.name) }
        let versions = recogniser.models.store.versions(of: options.name)
        guard options.name != recogniser.defaultModel, versions.isEmpty || folder.owns(options.name) else {
            throw TrainingError.takenName(options.name)
        }
        guard table.hasRoom else { throw TrainingError.queueFull(table.counts.waiting) }
        try await pool.run { [folder] in try folder.requireWritable() }
        if let base = options.base { _ = try await recogniser.models.status(of: try ModelReference(base)) }
    }

    /// Makes a place on the disk for photos that are being received.
    ///
    /// - Parameter expected: their bytes, if that is known.
    package func newUpload(_ kind: PhotoSource.Archive, expected: Int? = nil) async throws -> TrainingUpload {
        let directory = configuration.directory
        return try await pool.run {
            try TrainingUpload(id: .next(), in: directory, file: "photos.\(kind.rawValue)", expected: expected)
        }
    }

    /// Stores a training and queues it.
    ///
    /// - Throws: ``TrainingError``, or `ArchiveError` if the archive is invalid.
    package func submit(_ photos: LabelledPhotos, _ options: TrainingOptions) async throws -> TrainingRecord {
        let id =
            switch photos {
            case .upload(let upload, _): upload.id
            case .source: ULID.next()
            }
        guard table.reserve(id) else { throw TrainingError.queueFull(table.counts.waiting) }
        defer { table.giveBack(id) }
        do {
            try await source(photos).catalogue.check()
        } catch let error as TrainingError {
            throw error.explained(for: photos)
        }
        let record = TrainingRecord(id: id, options: options, source: photos.source, keeper: history.folder)
        try await sharePhotos(of: record)
        try await add(record)
        if case .upload(let upload, _) = photos { upload.keep() }
        return try self.record(id)
    }

    /// Opens the photos for reading.
    func source(_ photos: LabelledPhotos) async throws -> PhotoSource {
        switch photos {
        case .upload(let upload, let kind):
            try await upload.finish()
            return try await PhotoSource(try upload.archive(), kind, limits: configuration.limits)
        case .source(let source): return try await self.photos(of: source, .next())
        }
    }

    /// The full path of a folder that may be read, because it lies below the configured root.
    ///
    /// - Throws: ``TrainingError/folder(_:)``.
    package func allowedFolder(_ path: String) throws(TrainingError) -> String {
        guard let root = configuration.folderRoot else {
            throw .folder("No folder of this machine may be read; the operator names one with training.folder_root.")
        }
        let allowed = URL(filePath: root).resolvingSymlinksInPath().standardizedFileURL.path
        let wanted = URL(filePath: path.hasPrefix("/") ? path : "\(root)/\(path)").resolvingSymlinksInPath()
            .standardizedFileURL.path
        guard wanted == allowed || wanted.hasPrefix(allowed + "/") else {
            throw .folder("The folder “\(path.prefix(200))” does not lie below \(root).")
        }
        return wanted
    }
}

package enum LabelledPhotos: Sendable {
    /// An archive in the body of the request.
    case upload(TrainingUpload, PhotoSource.Archive)
    /// Photos that the service has already.
    case source(TrainingRecord.Source)

    var source: TrainingRecord.Source {
        switch self {
        case .upload(_, let kind): .archive(kind)
        case .source(let source): source
        }
    }
}

extension TrainingService {
    /// Measures a model on labelled photos that it did not learn from, alone or compared with another model.
    ///
    /// - Parameters:
    ///   - model: the model to measure. Nil takes the default model.
    ///   - head: the head of the model, and of the other one if it has such a head. Nil takes the head that knows most
    ///     of the classes.
    ///   - progress: receives the number of photos done and the total.
    /// - Throws: ``TrainingError``, `RecognitionError`, `CancellationError`, or `ArchiveError` if the archive is
    ///   invalid.
    package func evaluate(
        _ photos: LabelledPhotos, model: ModelReference?, against: ModelReference?, head: String?,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> ModelEvaluation {
        let evaluator = ModelEvaluator(
            recogniser: recogniser, folder: folder, cores: configuration.cores)
        do {
            return try await evaluator.evaluate(
                try await source(photos), model: try model ?? ModelReference(recogniser.defaultModel), against: against,
                head: head, progress: progress)
        } catch let error as TrainingError {
            throw error.explained(for: photos)
        }
    }
}

extension TrainingError {
    /// Says how the history gets photos, if it was to have some and has none.
    fileprivate func explained(for photos: LabelledPhotos) -> TrainingError {
        guard case .noPhotos(skipped: []) = self, case .source(let source) = photos else { return self }
        return switch source {
        case .corrections:
            .noScans(
                "There are no photos: no scan has a corrected label. Correct some with PATCH /history/{id} first.")
        case .individuals:
            .noScans(
                "There are no photos: no scan has an animal's name. Give some with PATCH /history/{id} first.")
        default: self
        }
    }
}
