import Foundation

extension TrainingUpload {
    /// Removes a job's folder; one that is absent is no matter.
    static func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }
}
