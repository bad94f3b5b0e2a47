import Base
import FoundationEssentials
import ModelImport

/// A text file with one label a line.
enum LabelsFile {
    static func read(_ path: String) -> [String]? {
        guard let data = try? FileSystem.load(path, limit: ModelBounds.textBytes),
            let text = String(bytes: data, encoding: .utf8)
        else { return nil }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0.isWhitespace }.reversed())
        }
        return Array(lines.reversed().drop { $0.isEmpty }.reversed())
    }

    /// Drops the first label if it is ImageNet's "background" and the network has one class fewer.
    static func fit(_ labels: [String], to classes: Int?) -> [String] {
        guard let classes, labels.count == classes + 1, isBackground(labels[0]) else { return labels }
        return Array(labels.dropFirst())
    }

    /// The list of labels beside a model file that has the right length.
    ///
    /// - Parameter names: file names to try after those derived from the model's file.
    static func beside(
        _ file: String, in folder: String, count: Int, or names: [String] = []
    ) -> (file: String, labels: [String])? {
        let stem = file.split(separator: ".").dropLast().joined(separator: ".")
        for name in ["\(stem).labels", "\(stem)_labels.txt", "\(stem).txt", "labels.txt"] + names {
            guard let labels = read("\(folder)/\(name)") else { continue }
            let fitted = fit(labels, to: count)
            if fitted.count == count { return (name, fitted) }
        }
        return nil
    }

    static func isBackground(_ label: String) -> Bool { ["background", "dummy"].contains(label.lowercased()) }
}
