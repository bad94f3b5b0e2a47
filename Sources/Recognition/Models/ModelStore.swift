import FoundationEssentials

/// The folder of models: `<root>/<name>/`, or `<root>/<name>/<version>/`, each with weights and `manifest.json`.
///
/// Read anew at each call, so that a model dropped into the folder is there at once.
package struct ModelStore: Sendable {
    let root: String

    package init(root: String) {
        self.root = root
    }

    /// A model as it lies in its folder, sound as far as the manifest tells.
    struct Entry: Sendable {
        let manifest: ModelManifest
        let folder: String

        var path: String { folder + "/" + manifest.file }
        var binaryPath: String? { manifest.weights.map { folder + "/" + $0 } }
    }

    /// Names of the folders that hold a model, sorted.
    package var names: [String] {
        children(of: root).filter { ModelReference.isName($0) && !versions(of: $0).isEmpty }
    }

    /// Versions of a model, earliest first.
    package func versions(of name: String) -> [String] {
        guard ModelReference.isName(name) else { return [] }
        let folder = "\(root)/\(name)"
        var versions = Set(
            children(of: folder).filter { ModelReference.isVersion($0) && holdsModel("\(folder)/\($0)") })
        if holdsModel(folder) { versions.insert(flatVersion(folder)) }
        return versions.sorted(by: ModelReference.isEarlier)
    }

    /// Reads a version's manifest and completes it with what the weights tell.
    ///
    /// - Parameter version: nil: the latest.
    /// - Throws: ``RecognitionError/unknownModel(_:)``, or ``RecognitionError/brokenModel(name:reason:)`` that names the
    ///   key.
    func open(_ name: String, version: String? = nil) throws(RecognitionError) -> Entry {
        let reference = ModelReference(name: name, version: version)
        let versions = versions(of: name)
        guard let version = version ?? versions.last, versions.contains(version) else {
            throw .unknownModel(reference.description)
        }
        let nested = "\(root)/\(name)/\(version)"
        let folder = holdsModel(nested) ? nested : "\(root)/\(name)"
        var manifest = try ManifestReader(folder: folder, name: name, version: version).read()
        guard manifest.name == name else {
            throw .brokenModel(name: name, reason: "\(folder)/manifest.json calls itself \"\(manifest.name)\"")
        }
        guard manifest.version == version else {
            throw .brokenModel(
                name: name,
                reason: "\(folder)/manifest.json says version \"\(manifest.version)\", its folder \(version)")
        }
        try manifest.readLabels(in: folder)
        try manifest.validate()
        return Entry(manifest: manifest, folder: folder)
    }

    /// Model files of a folder, sorted.
    static func modelFiles(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { ModelFormat(fileName: $0) != nil }.sorted()
    }

    /// Changes whenever a file of the model does: each file's path, size and time of change.
    func stamp(of name: String) -> [String] {
        let root = "\(root)/\(name)"
        return ([root] + versions(of: name).map { "\(root)/\($0)" }).flatMap { folder in
            children(of: folder).map { file in
                let path = "\(folder)/\(file)"
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                let time = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
                return "\(path) \((attributes?[.size] as? Int) ?? 0) \(time)"
            }
        }
    }

    private func children(of folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    private func holdsModel(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/manifest.json") || !Self.modelFiles(in: folder).isEmpty
    }

    /// What the manifest says; `1` where it cannot be read, which opening the model then explains.
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
            let labels = try labels(
                in: folder, file: head.labelsFile, classes: head.classes, of: "head \"\(name)\"")
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
            guard !file.contains("/"), file != "..", let labels = LabelsFile.read("\(folder)/\(file)") else {
                throw .brokenModel(name: name, reason: "the labels \"\(file)\" of \(what) cannot be read")
            }
            return LabelsFile.fit(labels, to: classes)
        }
        guard let classes, (1...1_000_000).contains(classes) else { return [] }
        return (0..<classes).map { "class_\($0)" }
    }
}
