import FoundationEssentials

/// `catalogue.json` beside the models: well-known public models, with their official addresses and licences.
///
/// Sizes and checksums are those that the publishers state (the ONNX model zoo's manifest and its Git LFS pointers).
/// Entries without a statement have none.
package struct PublicModels: Decodable, Sendable {
    /// A model that can be pulled by name.
    package struct Entry: Decodable, Sendable {
        /// The name for pulling it.
        package let name: String
        package let title: String
        package let task: ModelManifest.Task
        package let url: String
        package let bytes: Int?
        package let sha256: String?
        package let licence: String
        /// The list of the model's labels. Nil if the model's file has them, or if ImageNet's or COCO's fit.
        package let labels: LabelList?
    }

    /// A text file with one label a line.
    package struct LabelList: Decodable, Sendable {
        package let url: String
        package let sha256: String
    }

    package let models: [Entry]

    /// - Parameters:
    ///   - directory: the folder of models.
    ///   - bundled: the folder that came with the program. Its catalogue is read if `directory` has none.
    /// - Throws: ``ModelDownloadError/catalogue(_:)``.
    package static func read(
        in directory: String, orIn bundled: String? = nil
    ) throws(ModelDownloadError) -> PublicModels {
        var path = directory + "/catalogue.json"
        if let bundled, !FileManager.default.fileExists(atPath: path) { path = bundled + "/catalogue.json" }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .catalogue("\(path) cannot be read")
        }
        do {
            return try JSONDecoder().decode(PublicModels.self, from: data)
        } catch {
            throw .catalogue("\(path) is not a catalogue: \(error)")
        }
    }
}
