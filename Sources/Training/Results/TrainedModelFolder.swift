package import Base
import Evaluation
import Foundation
import History
package import Recognition

/// The folder of models that trainings write to: `<root>/<name>/<version>/` with weights, manifest and report, and
/// `<root>/<name>/deployment.json`, which says which version answers.
///
/// A version is made in `<root>/.training/` and renamed into place as a whole, so that a crash leaves all of it or nothing.
package struct TrainedModelFolder: Sendable {
    /// What says which training made a version.
    private struct Mark: Codable {
        let training: ULID
    }

    package let root: String

    package init(root: String) {
        self.root = root
    }

    package func folder(_ name: String, _ version: String) -> String { "\(root)/\(name)/\(version)" }

    /// How a version's features become its answer; nil for one that keeps no such file.
    func head(of name: String, _ version: String) -> TrainedHeadFile? {
        FileManager.default.contents(atPath: "\(folder(name, version))/\(TrainedHeadFile.name)").flatMap {
            try? TrainedHeadFile.decoder.decode(TrainedHeadFile.self, from: $0)
        }
    }

    /// SHA-256 of the photos that a version learnt from; empty for a model that was not trained here. Blocks.
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

    /// The number after the largest that there is.
    package func nextVersion(of name: String) -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(name)")) ?? []
        return String((names.compactMap { Int($0) }.max() ?? 0) + 1)
    }

    /// Removes what crashes left. Blocks.
    package func removeLeftovers() {
        try? FileManager.default.removeItem(atPath: "\(root)/.training")
    }

    /// Writes a version; one that the same training has already made stays. Blocks.
    ///
    /// - Throws: ``RecognitionError`` or `HistoryError`; nothing is then in the folder.
    package func place(
        _ outcome: Trainer.Outcome, training: ULID, name: String, version: String, store: ModelStore
    ) throws {
        let target = folder(name, version)
        if let data = FileManager.default.contents(atPath: "\(target)/training.json"),
            let mark = try? JSONDecoder().decode(Mark.self, from: data), mark.training == training
        {
            return
        }
        let model = try TrainedModel(
            outcome.head, on: outcome.base, in: store, name: name, version: version,
            origin:
                "trained by Menagerie on \(outcome.report.trainingPhotos) photos with the features of \(outcome.base)")
        let staging = "\(root)/.training/\(training)"
        try? FileManager.default.removeItem(atPath: staging)
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.keyEncodingStrategy = .convertToSnakeCase
            var files: [(String, [UInt8])] = [
                (TrainedModel.file, model.onnx), ("manifest.json", [UInt8](try model.manifestJSON())),
                (TrainedHeadFile.name, [UInt8](try encoder.encode(TrainedHeadFile(outcome)))),
                ("training.json", [UInt8](try JSONEncoder().encode(Mark(training: training)))),
                ("report.json", [UInt8](try encoder.encode(outcome.report.withoutTimes))),
                ("REPORT.md", Array(outcome.report.markdown.utf8)),
                ("confusion.svg", Array(outcome.report.confusionSVG.utf8)),
                ("confusion.csv", Array(outcome.report.confusionMatrix.csv.utf8)),
                ("curve.svg", Array(outcome.report.curveSVG.utf8)),
            ]
            for (index, picture) in outcome.errorPictures.enumerated() {
                files.append(("errors/\(index).jpg", picture))
            }
            for (file, bytes) in files { try DurableFile.replace("\(staging)/\(file)", with: bytes) }
            // Before the version is there, so that it never answers unasked.
            let deployment = ModelStore(root: root).deployment(of: name) ?? ModelDeployment()
            try write(deployment, of: name)
            try FileManager.default.moveItem(atPath: staging, toPath: target)
            try write(deployment, of: name)
        } catch {
            try? FileManager.default.removeItem(atPath: staging)
            throw error
        }
    }

    /// Puts down which version answers. Blocks until it is on the disk.
    package func write(_ deployment: ModelDeployment, of name: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try DurableFile.replace(
            "\(root)/\(name)/\(ModelDeployment.file)", with: [UInt8](try encoder.encode(deployment)))
    }

    /// Removes a version, at one stroke for those who look. Blocks.
    package func remove(_ name: String, _ version: String) throws {
        let grave = "\(root)/.training/removed-\(ULID.next())"
        try FileManager.default.createDirectory(atPath: "\(root)/.training", withIntermediateDirectories: true)
        guard FileManager.default.fileExists(atPath: folder(name, version)) else { return }
        try FileManager.default.moveItem(atPath: folder(name, version), toPath: grave)
        try? FileManager.default.removeItem(atPath: grave)
    }
}

/// `head.json`: the head alone, for whoever has the features already.
struct TrainedHeadFile: Codable, Sendable {
    static let name = "head.json"

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    /// `name@version` of the model whose features it reads.
    let base: String
    let head: TrainedHead

    init(_ outcome: Trainer.Outcome) {
        base = outcome.base.description
        head = outcome.head
    }
}

extension TrainingReport {
    /// The same photos and seed give the same file.
    fileprivate var withoutTimes: TrainingReport {
        var report = self
        report.seconds = nil
        return report
    }
}
