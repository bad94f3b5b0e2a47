package import Base
package import Imaging
import Recognition

/// An animal or object in a photo.
package struct SeenThing: Sendable, Equatable {
    /// In fractions of the upright picture.
    package let region: PictureRegion
    /// The detector's label, such as `cat` or `traffic light`.
    package let label: String
    package let confidence: Double
    /// The breeds of a cat or a dog, the likeliest first. Empty for all else.
    package let breeds: [Prediction]
    /// The breed, or the species of another animal. Nil if unsure.
    package let kind: SeenKind?
    /// The animal's own name, given by people. Nil for an unknown animal.
    package var individual: Prediction?

    package init(
        region: PictureRegion, label: String, confidence: Double, breeds: [Prediction] = [],
        kind: SeenKind? = nil, individual: Prediction? = nil
    ) {
        self.region = region
        self.label = label
        self.confidence = confidence
        self.breeds = breeds
        self.kind = kind
        self.individual = individual
    }

    package var isAnimal: Bool { Animals.labels.contains(label) }
}

/// A breed or species from the classifier.
package struct SeenKind: Sendable, Equatable {
    /// The classifier's head: `cats`, `dogs` or `zoo`.
    package let head: String
    package let answer: Prediction

    package init(head: String, answer: Prediction) {
        self.head = head
        self.answer = answer
    }
}

/// The content of a photo, in the terms of other programs.
package struct SeenPhoto: Sendable {
    package let image: ImageInfo
    /// The surest first.
    package var things: [SeenThing]
    /// What the whole photo shows. Nil if it is no known animal, or was not classified.
    package let whole: SeenKind?
    package let modelName: String
    package let modelVersion: String
    package let timing: Timing

    package init(
        image: ImageInfo, things: [SeenThing], whole: SeenKind? = nil, modelName: String, modelVersion: String,
        timing: Timing
    ) {
        self.image = image
        self.things = things
        self.whole = whole
        self.modelName = modelName
        self.modelVersion = modelVersion
        self.timing = timing
    }
}
