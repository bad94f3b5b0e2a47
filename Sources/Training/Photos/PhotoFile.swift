import Base
import Foundation

/// Reads single photo files off the cooperative pool.
enum PhotoFile {
    private static let pool = BlockingPool(label: "menagerie.training.photos", width: 4, maximumPending: .max)

    /// - Throws: ``UnreadablePhoto``. A file that is too large is not read.
    static func bytes(_ path: String, limits: TrainingLimits) async throws(UnreadablePhoto) -> [UInt8] {
        let limit = limits.photoBytes
        return try await pool.run(whenFull: { _ in UnreadablePhoto(reason: .unreadable) }) {
            () throws(UnreadablePhoto) in
            do throws(FileError) {
                if let bytes = try FileSystem.load(path, limit: limit) { return bytes }
            } catch {
                if case .tooLarge(_, let bytes, _) = error {
                    throw UnreadablePhoto(reason: .tooLarge(bytes: bytes, limit: limit))
                }
            }
            throw UnreadablePhoto(reason: .unreadable)
        }
    }
}
