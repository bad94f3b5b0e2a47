import Foundation
import Training

/// Labelled photos that a command's argument names: a folder or archive with a folder for each class, or a list of
/// photos.
struct LabelledFiles {
    let path: String
    private let ending: String

    init(_ path: String) {
        self.path = path
        ending = path.lowercased().split(separator: ".").last.map(String.init) ?? ""
    }

    /// Whether it is a CSV file.
    var isList: Bool { ending == "csv" }

    /// - Throws: ``TrainingError``, or `ArchiveError` if the archive is invalid.
    func source(_ limits: TrainingLimits) async throws -> PhotoSource {
        switch ending {
        case "zip": try await PhotoSource(ArchiveFile(path), .zip, limits: limits)
        case "tar": try await PhotoSource(ArchiveFile(path), .tar, limits: limits)
        default: try PhotoSource(folder: path, limits: limits)
        }
    }
}
