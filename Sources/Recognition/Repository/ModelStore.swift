import Base
import FoundationEssentials
import ModelImport

/// The folders of models: `<root>/<name>/`, or `<root>/<name>/<version>/`, each with weights and `manifest.json`.
/// Versions of one model may be in several roots.
///
/// Each call reads the folders again, so that a model dropped into one is available at once.
package struct ModelStore: Sendable {
    /// The operator's root first, then those that trainings write to.
    let roots: [String]
    /// Inspects the weights of a version with an incomplete manifest.
    private let inspection: ModelInspection

    package init(root: String) { self.init(roots: [root]) }

    package init(roots: [String], inspection: ModelInspection = .here) {
        self.roots = roots
        self.inspection = inspection
    }

    /// A model in its folder, with a valid manifest.
    package struct Entry: Sendable {
        package let manifest: ModelManifest
        let folder: String

        var path: String { folder + "/" + manifest.file }
        var binaryPath: String? { manifest.weights.map { folder + "/" + $0 } }
        /// The paths of a cascade's further networks, in the order of its digests.
        var cascadePaths: [String] { (manifest.cascade?.files ?? []).map { folder + "/" + $0 } }
        /// The head of a trained version. Nil for other versions. Blocks.
        var trainedHead: TrainedHeadFile? { TrainedHeadFile(in: folder) }
    }

    /// The names of the folders that contain a model, sorted.
    package var names: [String] {
        Set(roots.flatMap(FileSystem.names)).filter { ModelReference.isName($0) && !versions(of: $0).isEmpty }.sorted()
    }

    /// The versions of a model, earliest first.
    package func versions(of name: String) -> [String] {
        guard ModelReference.isName(name) else { return [] }
        return Set(roots.flatMap { versions(in: "\($0)/\(name)") }).sorted(by: ModelReference.isEarlier)
    }

    /// The deployment of a trained model. Nil for other models, whose latest version answers.
    package func deployment(of name: String) -> ModelDeployment? {
        // A lazy map would read twice, and find nothing the second time if the model was deleted in between.
        for root in roots {
            if let found = ModelDeployment.read(in: "\(root)/\(name)") { return found }
        }
        return nil
    }

    /// The version that answers for a model's name: the deployed one, otherwise the latest. Nil if there is none.
    func answeringVersion(of name: String) -> String? {
        deployment(of: name).map { $0.version } ?? versions(of: name).last
    }

    /// Whether a version answers, or may answer, requests that name only the model.
    func answersForItsName(_ name: String, version: String) -> Bool {
        deployment(of: name).map { $0.version == version } ?? true
    }

    func versions(in folder: String) -> Set<String> {
        var versions = Set(
            FileSystem.names(in: folder).filter { ModelReference.isVersion($0) && holdsModel("\(folder)/\($0)") })
        if holdsModel(folder) { versions.insert(flatVersion(folder)) }
        return versions
    }

    /// The folder of a version, in the first root that has it.
    private func folder(of name: String, version: String) -> String? {
        for root in roots where versions(in: "\(root)/\(name)").contains(version) {
            let nested = "\(root)/\(name)/\(version)"
            return holdsModel(nested) ? nested : "\(root)/\(name)"
        }
        return nil
    }

    /// Reads a version's manifest and completes it from the weights.
    ///
    /// - Parameters:
    ///   - version: nil takes the deployed one, otherwise the latest.
    ///   - ticket: cancels the inspection of the weights.
    /// - Throws: ``RecognitionError/unknownModel(_:)``, or `RecognitionError.brokenModel(name:fault:reason:)` that
    ///   names the key.
    package func open(
        _ name: String, version: String? = nil, ticket: LoadTicket = LoadTicket()
    ) throws(RecognitionError) -> Entry {
        let reference = ModelReference(name: name, version: version)
        guard ModelReference.isName(name) else { throw .unknownModel(reference.description) }
        guard let version = version ?? answeringVersion(of: name), let folder = folder(of: name, version: version)
        else {
            throw .unknownModel(reference.description)
        }
        return try Self.entry(in: folder, name: name, version: version, inspection: inspection, ticket: ticket)
    }

    /// The version that a folder holds.
    static func entry(
        in folder: String, name: String, version: String, inspection: ModelInspection, ticket: LoadTicket = LoadTicket()
    ) throws(RecognitionError) -> Entry {
        var manifest = try ManifestReader(
            folder: folder, name: name, version: version, inspection: inspection, ticket: ticket
        ).read()
        guard manifest.name == name else {
            throw .brokenModel(
                name: name, fault: .manifest, reason: "\(folder)/manifest.json calls itself \"\(manifest.name)\"")
        }
        guard manifest.version == version else {
            throw .brokenModel(
                name: name, fault: .manifest,
                reason: "\(folder)/manifest.json says version \"\(manifest.version)\", its folder \(version)")
        }
        try manifest.readLabels(in: folder)
        try manifest.validate()
        return Entry(manifest: manifest, folder: folder)
    }

    /// The model files of a folder, sorted.
    static func modelFiles(in folder: String) -> [String] {
        FileSystem.names(in: folder).filter { ModelFormat(fileName: $0) != nil }.sorted()
    }

    /// The path, size and time of change of each of the model's files. It changes whenever a file does.
    func stamp(of name: String) -> [String] {
        let folders = roots.flatMap { root in
            ["\(root)/\(name)"] + versions(of: name).map { "\(root)/\(name)/\($0)" }
        }
        return folders.flatMap { folder in
            FileSystem.names(in: folder).sorted().map { file in
                let path = "\(folder)/\(file)"
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                let time = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
                return "\(path) \((attributes?[.size] as? Int) ?? 0) \(time)"
            }
        }
    }

    private func holdsModel(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/manifest.json") || !Self.modelFiles(in: folder).isEmpty
    }

    /// The version in the manifest. It is `1` if the manifest is unreadable, which opening the model then reports.
    private func flatVersion(_ folder: String) -> String {
        struct Version: Decodable { let version: String }
        let data = FileManager.default.contents(atPath: folder + "/manifest.json")
        let version = data.flatMap { try? JSONDecoder().decode(Version.self, from: $0) }?.version
        return version.flatMap { ModelReference.isVersion($0) ? $0 : nil } ?? "1"
    }
}

extension ModelManifest {
    /// Replaces `labels_file` and `classes` by the labels themselves.
    fileprivate mutating func readLabels(in folder: String) throws(RecognitionError) {
        for (name, head) in heads where head.labels.isEmpty {
            let labels = try labels(in: folder, file: head.labelsFile, classes: head.classes, of: "head \"\(name)\"")
            heads[name]?.labels = labels
        }
        if let detection, detection.labels.isEmpty {
            let labels = try labels(
                in: folder, file: detection.labelsFile, classes: detection.classes, of: "\"detection\"")
            self.detection?.labels = labels
        }
    }

    private func labels(
        in folder: String, file: String?, classes: Int?, of what: String
    ) throws(RecognitionError) -> [String] {
        if let file {
            guard Self.isFileName(file), let labels = LabelsFile.read("\(folder)/\(file)") else {
                throw .brokenModel(
                    name: name, fault: .labels, reason: "the labels \"\(file)\" of \(what) cannot be read")
            }
            return LabelsFile.fit(labels, to: classes)
        }
        guard let classes else { return [] }
        guard (1...ModelBounds.classes).contains(classes) else {
            throw .brokenModel(
                name: name, fault: .labels,
                reason: "\(what) is to have 1 to \(ModelBounds.classes) classes, not \(classes)")
        }
        return (0..<classes).map { "class_\($0)" }
    }
}
