package import Base
package import Imaging
package import Recognition

/// An animal or object in a photo.
package struct SeenThing: Sendable, Equatable {
    /// In fractions of the upright picture.
    package let region: PictureRegion
    /// The detector's label, such as `cat` or `traffic light`.
    package let label: String
    package let confidence: Double
    /// The breeds of a cat or a dog, the likeliest first. Empty for all else.
    package var breeds: [Prediction] = []
    /// The breed, or the species of another animal. Nil if unsure.
    package var kind: RegionName.Kind?
    /// The animal's own name, given by people. Nil for an unknown animal.
    package var individual: Prediction?

    package var isAnimal: Bool { Animals.labels.contains(label) }
}

/// The content of a photo, in the terms of other programs.
package struct SeenPhoto: Sendable {
    package let image: ImageInfo
    /// The surest first.
    package var things: [SeenThing]
    /// What the whole photo shows. Nil if it is no known animal, or was not classified.
    package var whole: RegionName.Kind?
    package let modelName: String
    package let modelVersion: String
    package let timing: Timing
}
