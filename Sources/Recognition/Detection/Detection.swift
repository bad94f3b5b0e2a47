package import Base
package import Imaging

package struct DetectionOptions: Sendable, Equatable {
    /// The least confidence of a box, 0…1. Nil takes the manifest's.
    package var threshold: Float?
    /// The largest number of boxes. The surest are kept.
    package var limit: Int
    /// The tiles that are examined besides the whole photo.
    package var tiles: TileChoice
    /// Whether the classifier checks the animals and names the breeds of cats and dogs.
    package var findsBreeds: Bool
    package var priority: Priority
    /// The time after which the answer is useless. Nil means never.
    package var deadline: ContinuousClock.Instant?

    package init(
        threshold: Float? = nil, limit: Int = 20, tiles: TileChoice = 1, findsBreeds: Bool = true,
        priority: Priority = .interactive, deadline: ContinuousClock.Instant? = nil
    ) {
        self.threshold = threshold
        self.limit = max(1, limit)
        self.tiles = tiles
        self.findsBreeds = findsBreeds
        self.priority = priority
        self.deadline = deadline
    }
}

package struct Detection: Sendable {
    /// The photo's size, format, orientation and checksum.
    package let image: ImageInfo
    /// The surest box comes first.
    package var boxes: [DetectedBox]
    package let modelName: String
    package let modelVersion: String
    /// The detector's time. The classifier's is added to it.
    package var timing: Timing
}
