import Base
package import Imaging

/// An animal or object found in a photo.
package struct DetectedBox: Sendable, Equatable {
    /// In fractions of the upright picture, inside 0…1. The area is positive.
    package let region: PictureRegion
    /// The name and its confidence. They come from the detector alone until a classifier has checked the box.
    package var name: RegionName
    /// The detector's scores for all classes. Nil if only the label is known.
    package let scores: DetectorScores?

    /// Whether only a tile of the photo showed it.
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
    package var confidence: Float { name.confidence }
    /// The breeds of a cat or a dog. Nil for all else.
    package var breeds: HeadAnswer? { name.breeds }

    /// The detector's certainty that something whole is here that may have this name, 0…1.
    package var strength: Float { scores?.strength(for: label) ?? confidence }

    /// The highest score of any animal class. Without scores it is the confidence of a box with an animal's label, or
    /// 0.
    package var animalScore: Float { scores?.animal ?? (Animals.labels.contains(label) ? confidence : 0) }

    /// The same box under its other possible animal names. A user who asks for cats with a low threshold also wants to
    /// know of a dog that may be a cat.
    ///
    /// - Parameters:
    ///   - least: the requested least confidence.
    ///   - most: the confidence from which on boxes are shown to every user. The alternatives stay below it.
    package func doubts(from least: Float, to most: Float) -> [DetectedBox] {
        name.words.dropFirst().compactMap { word in
            let score = scores?.strength(for: word.label) ?? confidence
            let confidence = min(RegionName.confidence(word.confidence, boxedWithScore: score), most.nextDown)
            guard confidence >= least, Animals.labels.contains(word.label), word.label != label else { return nil }
            return DetectedBox(region: region, label: word.label, confidence: confidence, isFar: isFar, scores: scores)
        }
    }
}
