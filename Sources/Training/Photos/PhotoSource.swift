/// A photo with the class that its folder says.
package struct TrainingPhoto: Sendable, Equatable {
    /// The path by which whoever sent the photo knows it.
    package let path: String
    package let label: String
    /// Where the source finds it.
    let place: Int

    package init(path: String, label: String, place: Int) {
        self.path = path
        self.label = label
        self.place = place
    }
}

/// Where photos come from.
package protocol PhotoSource: Sendable {
    /// What there is; cheap, and the same each time.
    func catalogue(_ limits: TrainingLimits) async throws -> PhotoCatalogue
    /// The file's bytes.
    ///
    /// - Throws: ``UnreadablePhoto`` where only this photo is at fault.
    func bytes(of photo: TrainingPhoto) async throws -> [UInt8]
}

/// Why one photo is left out.
package struct UnreadablePhoto: Error, Sendable {
    package let reason: SkipReason

    package init(reason: SkipReason) {
        self.reason = reason
    }
}
