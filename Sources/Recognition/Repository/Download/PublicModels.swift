import FoundationEssentials

/// `catalogue.json` beside the models: well-known public models, where they officially lie and under what licence.
///
/// Sizes and checksums are those that the publishers state (the ONNX model zoo's manifest and its Git LFS pointers);
/// where none is stated, the entry has none.
package struct PublicModels: Decodable, Sendable {
    /// A model that can be pulled by name.
    package struct Entry: Decodable, Sendable {
        /// What it is pulled as.
        package let name: String
        package let title: String
        package let task: ModelManifest.Task
        package let url: String
        package let bytes: Int?
        package let sha256: String?
        package let licence: String
    }

    package let models: [Entry]

    /// - Parameters:
    ///   - directory: the folder of models.
    ///   - bundled: the folder that came with the program; its catalogue is read where `directory` has none.
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
            throw .catalogue("\(path) is no catalogue: \(error)")
        }
    }
}
