package import Base
package import Imaging
import Recognition

/// One animal or object in a photo.
package struct SeenThing: Sendable, Equatable {
    /// In fractions of the upright picture.
    package let region: PictureRegion
    /// The detector's word, such as `cat` or `traffic light`.
    package let label: String
    /// 0…1.
    package let confidence: Double
    /// Breeds of a cat or a dog, the likeliest first; empty for all else.
    package let breeds: [Prediction]
    /// The breed, or the species of any other animal, that is sure; nil where none is.
    package let kind: SeenKind?
    /// The animal's own name, where it is one that people named; nil: it is none of those.
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

/// A breed or a species, as a classifier names it.
package struct SeenKind: Sendable, Equatable {
    /// Of the classifier: `cats`, `dogs` or `zoo`.
    package let head: String
    package let answer: Prediction

    package init(head: String, answer: Prediction) {
        self.head = head
        self.answer = answer
    }
}

/// What there is in a photo, in words that other programs are told.
package struct SeenPhoto: Sendable {
    package let image: ImageInfo
    /// The surest first.
    package var things: [SeenThing]
    /// What the photo as a whole shows; nil: no animal that is known, or nobody looked.
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
