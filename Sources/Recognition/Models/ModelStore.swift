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
            if let file = head.labelsFile {
                guard !file.contains("/"), file != "..", let labels = LabelsFile.read("\(folder)/\(file)") else {
                    throw .brokenModel(
                        name: self.name, reason: "the labels \"\(file)\" of head \"\(name)\" cannot be read")
                }
                heads[name]?.labels = LabelsFile.fit(labels, to: head.classes)
            } else if let classes = head.classes, (1...1_000_000).contains(classes) {
                heads[name]?.labels = (0..<classes).map { "class_\($0)" }
            }
        }
    }
}

/// A text file with one label a line.
enum LabelsFile {
    static func read(_ path: String) -> [String]? {
        guard let data = FileManager.default.contents(atPath: path), let text = String(bytes: data, encoding: .utf8)
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0.isWhitespace }.reversed())
        }
        return Array(lines.reversed().drop { $0.isEmpty }.reversed())
    }

    /// ImageNet's lists begin with "background", which many networks do not have: it is then left out.
    static func fit(_ labels: [String], to classes: Int?) -> [String] {
        guard let classes, labels.count == classes + 1, isBackground(labels[0]) else { return labels }
        return Array(labels.dropFirst())
    }

    static func isBackground(_ label: String) -> Bool { ["background", "dummy"].contains(label.lowercased()) }
}
