/// A photo with the class that its folder names.
package struct TrainingPhoto: Sendable, Equatable {
    /// The path as the sender knows it.
    package let path: String
    package let label: String
    /// The place of the photo within its source.
    let place: Int
}

package protocol PhotoSource: Sendable {
    /// The photos of the source. The call is cheap, and the result is the same each time.
    func catalogue(_ limits: TrainingLimits) async throws -> PhotoCatalogue
    /// The bytes of a photo's file.
    ///
    /// - Throws: ``UnreadablePhoto`` if the problem concerns only this photo.
    func bytes(of photo: TrainingPhoto) async throws -> [UInt8]
}

/// The reason why one photo is left out.
package struct UnreadablePhoto: Error, Sendable {
    package let reason: SkipReason
}
