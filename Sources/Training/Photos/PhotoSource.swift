import Base
import Imaging

/// Labelled photos: what there is, and how the bytes of each are read.
package struct PhotoSource: Sendable {
    let catalogue: PhotoCatalogue
    /// Throws ``SkipReason`` if the problem concerns only this photo.
    let bytes: @Sendable (TrainingPhoto) async throws -> [UInt8]

    /// Reads photos and passes their bytes to the body.
    ///
    /// - Parameters:
    ///   - limit: the number of photos in work at once.
    ///   - progress: receives the number of photos done.
    /// - Returns: what the body returned for each photo, or the reason to leave it out.
    func read<Value: Sendable>(
        atOnce limit: Int, progress: (Int) -> Void, _ body: @escaping @Sendable ([UInt8]) async throws -> Value
    ) async throws -> [Result<Value, SkipReason>] {
        try await catalogue.photos.concurrentMap(atOnce: limit, progress: progress) { photo in
            do {
                return .success(try await body(try await bytes(photo)))
            } catch let reason as SkipReason {
                return .failure(reason)
            } catch let error as ImagingError {
                return .failure(.undecodable(error))
            }
        }
    }
}
