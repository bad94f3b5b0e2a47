import Base
import Foundation
import History
package import Recognition

/// Taking trainings in.
extension TrainingService {
    /// - Throws: ``TrainingError/invalidName(_:)``, ``TrainingError/takenName(_:)``, ``TrainingError/queueFull(_:)``.
    package func check(_ options: TrainingOptions) throws(TrainingError) {
        guard ModelReference.isName(options.name) else { throw .invalidName(options.name) }
        let versions = recogniser.models.store.versions(of: options.name)
        guard options.name != recogniser.defaultModel, versions.isEmpty || folder.owns(options.name) else {
            throw .takenName(options.name)
        }
        guard table.hasRoom else { throw .queueFull(table.counts.waiting) }
    }

    /// Room for photos that come.
    ///
    /// - Parameter kind: of the archive.
    package func newUpload(_ kind: ArchivePhotos.Kind) async throws -> TrainingUpload {
        let directory = configuration.directory
        return try await blocking { try TrainingUpload(id: .next(), in: directory, file: "photos.\(kind.rawValue)") }
    }

    /// Takes a training in.
    ///
    /// - Throws: ``TrainingError``, or `ArchiveError` where the archive is none.
    package func submit(_ photos: LabelledPhotos, _ options: TrainingOptions) async throws -> TrainingRecord {
        let id =
            switch photos {
            case .upload(let upload, _): upload.id
            case .source: ULID.next()
            }
        guard table.reserve(id) else { throw TrainingError.queueFull(table.counts.waiting) }
        defer { table.giveBack(id) }
        try await source(photos).catalogue(configuration.limits).check()
        let record = TrainingRecord(id: id, options: options, source: photos.source, keeper: history.replica)
        try await sharePhotos(of: record)
        try await add(record)
        if case .upload(let upload, _) = photos { upload.keep() }
        return try self.record(id)
    }

    /// The photos to be read.
    func source(_ photos: LabelledPhotos) async throws -> any PhotoSource {
        switch photos {
        case .upload(let upload, let kind):
            try await upload.finish()
            return try await ArchivePhotos(try upload.archive(), kind: kind, limits: configuration.limits)
        case .source(let source): return try await self.photos(of: source, .next())
        }
    }

    /// A folder below the configured root.
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

/// Photos with their classes, as a request brings them.
package enum LabelledPhotos: Sendable {
    /// An archive that came whole.
    case upload(TrainingUpload, ArchivePhotos.Kind)
    /// Photos that are here already.
    case source(TrainingRecord.Source)

    var source: TrainingRecord.Source {
        switch self {
        case .upload(_, let kind): .archive(kind)
        case .source(let source): source
        }
    }
}

extension TrainingService {
    /// How well a model answers labelled photos that it did not learn from, alone or beside another one.
    ///
    /// - Parameters:
    ///   - model: nil: the default model.
    ///   - head: of the model, and of the other one where it has such a head; nil: the one that knows most classes.
    ///   - progress: is told how many photos are done, and of how many.
    /// - Throws: ``TrainingError``, `RecognitionError`, `CancellationError`, or `ArchiveError` where the archive is none.
    package func evaluate(
        _ photos: LabelledPhotos, model: ModelReference?, against: ModelReference?, head: String?,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> ModelEvaluation {
        let evaluator = ModelEvaluator(
            recogniser: recogniser, folder: folder, limits: configuration.limits, cores: configuration.cores)
        return try await evaluator.evaluate(
            try await source(photos), model: try model ?? ModelReference(recogniser.defaultModel), against: against,
            head: head, progress: progress)
    }
}
