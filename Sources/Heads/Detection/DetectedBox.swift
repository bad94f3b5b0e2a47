package import Imaging
import Scans

/// Something that a detector found in a photo.
package struct DetectedBox: Sendable, Equatable {
    /// In fractions of the upright picture, inside 0…1, with an area.
    package let region: PictureRegion
    /// Class name as in the manifest.
    package let label: String
    /// 0…1.
    package var confidence: Float
    /// For a cat or a dog: what the default model's head of that animal says of the part of the photo; nil for all else,
    /// and where that model has no such head.
    package var breeds: HeadAnswer?

    /// Seen in a tile of the photo only.
    let isFar: Bool

    package init(
        region: PictureRegion, label: String, confidence: Float, breeds: HeadAnswer? = nil, isFar: Bool = false
    ) {
        self.region = region
        self.label = label
        self.confidence = confidence
        self.breeds = breeds
        self.isFar = isFar
    }
}
