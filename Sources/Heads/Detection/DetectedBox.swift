package import Imaging

/// Something that was found in a photo.
package struct DetectedBox: Sendable, Equatable {
    /// In fractions of the upright picture, inside 0…1, with an area.
    package let region: PictureRegion
    /// What it is called, and how sure that is: by the detector alone until a classifier was asked.
    package var name: RegionName
    /// What the detector gives to each of its classes there; nil where it gives one name only.
    package let scores: DetectorScores?

    /// Seen in a tile of the photo only.
    let isFar: Bool

    package init(
        region: PictureRegion, label: String, confidence: Float, isFar: Bool = false, scores: DetectorScores? = nil
    ) {
        self.region = region
        name = RegionName(label: label, confidence: confidence)
        self.isFar = isFar
        self.scores = scores
    }

    package var label: String { name.label }
    /// 0…1.
    package var confidence: Float { name.confidence }
    /// For a cat or a dog: what the head of its breeds says of this part of the photo; nil for all else.
    package var breeds: HeadAnswer? { name.breeds }

    /// How sure the detector is that something is here, 0…1.
    package var strength: Float { scores?.scores.max() ?? confidence }

    /// The most that the detector gives to any animal here; of what only has a name, how sure an animal's is.
    package var animalScore: Float {
        guard let scores else { return Animals.labels.contains(label) ? confidence : 0 }
        return zip(scores.labels, scores.scores).reduce(0) { Animals.labels.contains($1.0) ? max($0, $1.1) : $0 }
    }
}
