package import Base
import Foundation
package import Recognition
import Storage

/// The folder of models that trainings write to: `<root>/<name>/<version>/` with weights, manifest and report, and
/// `<root>/<name>/deployment.json`, which names the version that answers.
///
/// A version is written in `<root>/.training/` and then renamed into place, so that a crash leaves all of it or
/// nothing.
package struct TrainedModelFolder: Sendable {
    /// The file with the id of the training that made a version.
    static let markFile = "training.json"

    package let root: String

    package init(root: String) { self.root = root }

    /// The path of a version's folder, which need not exist.
    package func folder(_ name: String, _ version: String) -> String { "\(root)/\(name)/\(version)" }

    /// The head of a version. Nil if the version has no file `head.json`. Blocks.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` if the file is damaged.
    func head(of name: String, _ version: String) throws(TrainingError) -> TrainedHeadFile? {
        if let file = TrainedHeadFile(in: folder(name, version)) { return file }
        let path = "\(folder(name, version))/\(TrainedHeadFile.name)"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        throw .conflict(
            "The file \(TrainedHeadFile.name) of \(name)@\(version) is damaged: restore it from a backup, or train it "
                + "once more.")
    }

    /// The SHA-256 digests of the photos that a version learnt from. Empty for a model that was not trained here.
    /// Blocks.
    func learntPhotos(_ name: String, _ version: String) -> Set<String> {
        struct Report: Decodable { let photos: [TrainingReport.Photo] }
        let decoder = TrainedHeadFile.decoder
        guard let data = FileManager.default.contents(atPath: "\(folder(name, version))/report.json"),
            let report = try? decoder.decode(Report.self, from: data)
        else { return [] }
        return Set(report.photos.filter { $0.heldOut != true }.map(\.sha256))
    }

    /// Whether trainings made this model.
    package func owns(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(root)/\(name)/\(ModelDeployment.file)")
    }

    /// The largest existing version plus 1.
    package func nextVersion(of name: String) -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(name)")) ?? []
        return String((names.compactMap { Int($0) }.max() ?? 0) + 1)
    }

    /// Removes the files of interrupted trainings. What another process writes now stays. Blocks.
    package func removeLeftovers() {
        for name in FileSystem.names(in: "\(root)/.training") {
            FileSystem.removeUnlockedDirectory("\(root)/.training/\(name)")
        }
    }

    /// Makes a locked folder for the files of a version, and removes it if the body has not moved it away.
    private func stage(_ id: ULID, _ body: (_ staging: String) throws -> Void) throws {
        let staging = "\(root)/.training/\(id)"
        try? FileManager.default.removeItem(atPath: staging)
        try FileSystem.makeDirectory(staging)
        let lock = FileSystem.lockDirectory(staging)
        defer {
            try? FileManager.default.removeItem(atPath: staging)
            if let lock { FileSystem.closeDescriptor(lock) }
        }
        try body(staging)
    }

    /// Blocks.
    ///
    /// - Throws: `FileError` if no version can be written.
    package func requireWritable() throws { try stage(ULID.next()) { _ in } }

    /// Writes a version, unless the same training has written it already. Blocks.
    ///
    /// - Throws: ``RecognitionError`` or `FileError`. The folder is then as before.
    package func place(
        _ outcome: Trainer.Outcome, training: ULID, name: String, version: String, store: ModelStore
    ) throws {
        let mark = try Self.mark(training)
        if (try? self.mark(name, version)) == mark { return }
        let model = try TrainedModel(
            outcome.head, on: outcome.base, in: store, name: name, version: version,
            origin:
                "trained by Menagerie on \(outcome.report.trainingPhotos) photos with the features of \(outcome.base)")
        let head = TrainedHeadFile(base: outcome.base.description, head: outcome.head)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        var files: [(String, [UInt8])] = [
            (TrainedModel.file, model.onnx), ("manifest.json", [UInt8](try model.manifest.json())),
            (TrainedHeadFile.name, [UInt8](try encoder.encode(head))),
            (Self.markFile, mark),
            ("report.json", [UInt8](try encoder.encode(outcome.report))),
            ("REPORT.md", Array(outcome.report.markdown.utf8)),
            ("confusion.svg", Array(outcome.report.confusionSVG.utf8)),
            ("confusion.csv", Array(outcome.report.confusionMatrix.csv.utf8)),
            ("curve.svg", Array(outcome.report.curveSVG.utf8)),
        ]
        for (index, picture) in outcome.errorPictures {
            files.append(("errors/\(index).jpg", picture))
        }
        try stage(training) { staging in
            for (file, bytes) in files { try DurableFile.replace("\(staging)/\(file)", with: bytes) }
            try place(staging, name, version)
        }
    }

    /// Writes a version that another process trained. Blocks.
    ///
    /// - Parameter contents: the files by their paths below the version's folder.
    func place(_ contents: [String: [UInt8]], _ name: String, _ version: String) throws {
        try stage(ULID.next()) { staging in
            for (file, bytes) in contents where !file.split(separator: "/").contains("..") {
                try DurableFile.replace("\(staging)/\(file)", with: bytes)
            }
            do {
                try place(staging, name, version)
            } catch {
                // Processes may share the folder, and another one may have placed the version first.
                guard holds(name, version) else { throw error }
            }
        }
    }

    private func place(_ staging: String, _ name: String, _ version: String) throws {
        // The deployment is written before the version is there, so that the version does not answer by itself.
        let deployment = deployment(of: name)
        try write(deployment, of: name)
        try FileManager.default.moveItem(atPath: staging, toPath: folder(name, version))
        try write(deployment, of: name)
    }

    // MARK: What there is

    func deployment(of name: String) -> ModelDeployment {
        ModelStore(root: root).deployment(of: name) ?? ModelDeployment()
    }

    func holds(_ name: String, _ version: String) -> Bool {
        FileManager.default.fileExists(atPath: folder(name, version))
    }

    /// Whether the head of the deployed version also answers beside its base; see ``AttachedHeads``.
    package func isAttached(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(root)/\(name)/\(AttachedHeads.flag)")
    }

    /// All versions that trainings made. Blocks.
    var trainedVersions: [(name: String, version: String)] {
        let store = ModelStore(root: root)
        return store.names.flatMap { name in
            store.versions(of: name).filter { FileManager.default.fileExists(atPath: markPath(name, $0)) }
                .map { (name, $0) }
        }
    }

    /// The files of a version by their paths below the version's folder. Blocks.
    func contents(_ name: String, _ version: String) throws -> [String: [UInt8]] {
        let folder = folder(name, version)
        var contents: [String: [UInt8]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
        where !FileSystem.isDirectory("\(folder)/\(path)") {
            contents[path] = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(path)")))
        }
        return contents
    }

    /// The content of ``markFile``.
    static func mark(_ training: ULID) throws -> [UInt8] { [UInt8](try JSONEncoder().encode(["training": training])) }

    /// The content of a version's ``markFile``. Blocks.
    func mark(_ name: String, _ version: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: markPath(name, version))))
    }

    private func markPath(_ name: String, _ version: String) -> String { "\(folder(name, version))/\(Self.markFile)" }

    // MARK: Changes

    /// Writes a deployment. Blocks until it is on the disk.
    package func write(_ deployment: ModelDeployment, of name: String) throws {
        try DurableFile.replace("\(root)/\(name)/\(ModelDeployment.file)", with: try deployment.json())
    }

    /// Removes a version. A rename makes it disappear as a whole. The last version takes its model's folder along.
    /// Blocks.
    package func remove(_ name: String, _ version: String) throws {
        let removed = "\(root)/.training/removed-\(ULID.next())"
        try FileManager.default.createDirectory(atPath: "\(root)/.training", withIntermediateDirectories: true)
        guard FileManager.default.fileExists(atPath: folder(name, version)) else { return }
        try FileManager.default.moveItem(atPath: folder(name, version), toPath: removed)
        try? FileManager.default.removeItem(atPath: removed)
        let model = "\(root)/\(name)"
        let rest = FileSystem.names(in: model)
        // A process that was killed may have left the beginning of such a file under a longer name.
        let settings = [ModelDeployment.file, AttachedHeads.flag]
        guard rest.allSatisfy({ file in settings.contains { file.hasPrefix($0) } }) else { return }
        for file in rest { FileSystem.remove("\(model)/\(file)") }
        FileSystem.removeEmptyDirectory(model)
    }
}

extension ModelDeployment {
    /// The content of its file.
    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return [UInt8](try encoder.encode(self))
    }
}
