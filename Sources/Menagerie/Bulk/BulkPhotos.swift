import Base
import Foundation
import Imaging
import Recognition

/// Reads the photos of a run from files or an S3 store and has them classified.
struct BulkPhotos: Sendable {
    let recogniser: Recogniser
    /// The number of photos that are read ahead of the lanes, so that a slow store does not hold them up.
    private static let ahead = 32
    /// The number of photos in work at once, on a lane or read.
    let atOnce: Int
    private let files: BlockingPool
    private let store: Result<S3Store, S3Error>
    /// The size of the largest photo, in bytes.
    private let limit: Int

    init(_ recogniser: Recogniser, _ settings: Settings) {
        self.recogniser = recogniser
        let cores = ProcessInfo.processInfo.activeProcessorCount
        atOnce = max(1, min(recogniser.capacity, 2 * cores + Self.ahead))
        files = BlockingPool(label: "menagerie.photos", width: cores, maximumPending: .max)
        limit = settings[Settings.maxBodyBytes]
        store = PhotoPaths.store(photoBytes: limit, connections: atOnce)
    }

    /// - Parameter path: the path of a file, or the address of an S3 object.
    /// - Returns: a failure that concerns only this photo.
    /// - Throws: ``S3Error`` that would affect all photos.
    func answer(_ path: String) async throws -> Result<Classification, any Error> {
        do {
            let photo = try await bytes(of: path)
            return .success(
                try await Recogniser.patiently {
                    try await recogniser.classify(photo, options: ClassificationOptions(priority: .bulk))
                })
        } catch let error as S3Error where !error.isOfOnePhoto {
            throw error
        } catch {
            return .failure(error)
        }
    }

    /// Reads a photo from a file or from the store.
    func bytes(of path: String) async throws -> [UInt8] {
        if let object = S3Address(path) { return try await store.get().bytes(of: object) }
        return try await files.run(whenFull: { _ in CancellationError() as any Error }) {
            let size = FileSystem.attributes(path)?.size ?? 0
            guard size <= limit else { throw ImagingError.tooManyBytes(count: size, limit: limit) }
            return Array(try Data(ofFile: path, upTo: limit + 1))
        }
    }
}
