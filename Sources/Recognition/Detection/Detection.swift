package import Base
package import Imaging

/// What the caller may choose for one photo.
package struct DetectionOptions: Sendable, Equatable {
    /// Least confidence of a box, 0…1; nil: as the model's manifest says.
    package var threshold: Float?
    /// Boxes to answer at most, the surest.
    package var limit: Int
    /// Tiles that are looked at besides the whole photo.
    package var tiles: TileChoice
    /// Whether the classifier has a say in what animal a box shows, and names the breeds of cats and dogs.
    package var findsBreeds: Bool
    package var priority: Priority
    /// When the answer is no longer wanted; nil: never.
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

/// What was found in one photo.
package struct Detection: Sendable {
    /// Size, format, orientation and checksum of the photo.
    package let image: ImageInfo
    /// The surest first.
    package var boxes: [DetectedBox]
    package let modelName: String
    package let modelVersion: String
    /// Of the detector; what the breeds took is added to it.
    package var timing: Timing

    package init(image: ImageInfo, boxes: [DetectedBox], modelName: String, modelVersion: String, timing: Timing) {
        self.image = image
        self.boxes = boxes
        self.modelName = modelName
        self.modelVersion = modelVersion
        self.timing = timing
    }
}
