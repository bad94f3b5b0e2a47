package import Foundation

/// The folder of real photos, models and conformance files. Tests read them in place.
package enum SharedFolder {
    /// Beside the package, or at SHARED_FOLDER.
    package static let url: URL = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        return ProcessInfo.processInfo.environment["SHARED_FOLDER"].map { URL(filePath: $0) }
            ?? package.appending(path: "../shared").standardized
    }()

    /// The condition for `.enabled(if:)` of tests that need the folder.
    package static let isThere = FileManager.default.fileExists(atPath: url.appending(path: "data/photos.csv").path)

    /// The labelled photos of one class, in the order of their names.
    package static func photos(_ group: String, _ label: String) throws -> [URL] {
        let folder = url.appending(path: "data/photos/\(group)/\(label)")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
    }
}
