import Base
import Foundation
import Learning
import Logging
package import Recognition
package import Storage

/// Trained heads that answer beside the model whose features they use. An answer costs one product of a matrix and a
/// vector, and no second pass through a network.
///
/// The file `<models>/<name>/attached.json` says that a name is attached. The version is always the one that answers
/// for the name.
package final class AttachedHeads: Sendable {
    private struct Attached {
        let version: String
        let head: TrainedHeadFile
    }

    private struct Flag: Codable {
        let attached: Bool
    }

    /// The file that says whether a name is attached.
    static let flag = "attached.json"

    /// The content of the file ``flag``.
    static func flag(_ isAttached: Bool) throws -> [UInt8] {
        [UInt8](try JSONEncoder().encode(Flag(attached: isAttached)))
    }

    /// - Throws: `DecodingError` for other bytes than those of ``flag(_:)``. A damaged file must not detach a head.
    static func isSet(_ flag: [UInt8]) throws -> Bool {
        try JSONDecoder().decode(Flag.self, from: Data(flag)).attached
    }

    private static let logger = Logger(label: "menagerie.training")

    private let folder: TrainedModelFolder
    private let heads = Locked<[String: Attached]>([:])

    /// Reads the attached heads. Blocks.
    init(_ folder: TrainedModelFolder) {
        self.folder = folder
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.root)
            for name in names where folder.isAttached(name) { reload(name) }
        } catch CocoaError.fileReadNoSuchFile {
            // Nothing was trained yet.
        } catch {
            Self.logger.error("The trained models cannot be listed", metadata: ["error": "\(error)"])
        }
    }

    /// The answers of the heads that use this model's features, by name; empty if the model has no features.
    package func answers(to classification: Classification, top: Int) -> [LearntAnswers.AddedHead] {
        guard let features = classification.features else { return [] }
        let base = "\(classification.modelName)@\(classification.modelVersion)"
        let fitting = heads.withLock { $0.filter { $0.value.head.base == base } }
        return fitting.sorted { $0.key < $1.key }.map { name, attached in
            attached.head.head.answer(to: features, name: name, version: attached.version, top: top)
        }
    }

    /// Blocks until the flag is on the disk.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` if the version that answers cannot be attached; `FileError`.
    func attach(_ name: String, version: String) throws {
        guard try folder.head(of: name, version) != nil else {
            throw TrainingError.conflict(
                "\(name)@\(version) was trained before heads could be added to their base's answer: train it once more."
            )
        }
        let path = "\(folder.root)/\(name)/\(Self.flag)"
        try DurableFile.replace(path, with: try Self.flag(true))
    }

    /// Blocks.
    func detach(_ name: String) {
        FileSystem.remove("\(folder.root)/\(name)/\(Self.flag)")
        reload(name)
    }

    /// Reads the head of the version that answers for the name. Blocks.
    func reload(_ name: String) {
        let version = folder.deployment(of: name).version
        var attached: Attached?
        do {
            if let version, folder.isAttached(name), let head = try folder.head(of: name, version) {
                attached = Attached(version: version, head: head)
            }
        } catch {
            Self.logger.error(
                "A head that was added does not answer", metadata: ["model": "\(name)", "error": "\(error)"])
        }
        let found = attached
        heads.withLock { $0[name] = found }
    }
}

extension TrainedHead {
    func answer(to features: [Float], name: String, version: String, top: Int) -> LearntAnswers.AddedHead {
        let isUnknown = features.count == self.features && classMeans?.isFar(features) ?? false
        let probabilities =
            isUnknown ? [] : LinearClassifier.probabilities(logits(of: features), temperature: temperature)
        let ranked = probabilities.indices.sorted { probabilities[$0] > probabilities[$1] }
        return LearntAnswers.AddedHead(
            name: name, version: version,
            abstained: isUnknown || (ranked.first.map { probabilities[$0] } ?? 0) < abstainBelow,
            predictions: ranked.prefix(top).map { .init(label: labels[$0], confidence: Float(probabilities[$0])) })
    }
}
