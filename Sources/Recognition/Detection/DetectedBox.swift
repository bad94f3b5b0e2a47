import Base
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

    /// How sure the detector is that something whole is here that may have its name, 0…1.
    package var strength: Float { scores?.strength(for: label) ?? confidence }

    /// The most that the detector gives to any animal here; of what only has a name, how sure an animal's is.
    package var animalScore: Float { scores?.animal ?? (Animals.labels.contains(label) ? confidence : 0) }

    /// The same place under the other words that it may have, for those who ask for what is doubtful: who looks for cats
    /// wants to know of a dog that may be one.
    ///
    /// - Parameters:
    ///   - least: confidence that is asked for.
    ///   - most: what is shown to everybody begins here.
    package func doubts(from least: Float, to most: Float) -> [DetectedBox] {
        name.words.dropFirst().compactMap { word in
            let score = scores?.strength(for: word.label) ?? confidence
            let confidence = min(RegionName.confidence(word.confidence, boxedWithScore: score), most.nextDown)
            guard confidence >= least, Animals.labels.contains(word.label), word.label != label else { return nil }
            return DetectedBox(region: region, label: word.label, confidence: confidence, isFar: isFar, scores: scores)
        }
    }
}
