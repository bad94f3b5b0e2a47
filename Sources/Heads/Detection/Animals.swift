import Imaging
import Scans

/// Makes one decision of each animal from what a detector takes it for and what a classifier's presence head says of it.
///
/// Detectors that know eighty kinds of things mistake a grey cat for a bear and a dog for a cat; classifiers that know cats
/// and dogs do not know sheep. So a detector gives a box every name that it may have, and each name is weighed by presence.
package enum Animals {
    /// What detectors call animals: COCO's, and the rest.
    package static let labels: Set<String> = [
        "bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", other,
    ]

    /// Those that presence has names for.
    static let pets: Set<String> = ["cat", "dog"]

    /// An animal of a species that has no class of its own.
    static let other = "other animal"

    /// Kinds of things that such an animal may be.
    private static let otherKinds = ["wild_cat", "wild_dog", "other_pet", "farm_animal", "other_animal"]

    /// Intersection over union from which on two boxes show the same animal.
    static let samePlace = 0.6

    /// Intersection over union from which on what a classifier says of one box holds for the other.
    package static let nearPlace = 0.3

    /// Animals of one photo that the classifier looks at, the surest.
    static let maximumLooks = 20

    /// What presence cannot take from a name: it errs, above all about animals that it does not know.
    private static let benefit: Float = 0.2

    /// Places where animals are, the surest first: of boxes with several names one.
    ///
    /// - Parameter boxes: the surest first.
    package static func places(of boxes: [DetectedBox]) -> [DetectedBox] {
        var places: [DetectedBox] = []
        for box in boxes where labels.contains(box.label) && places.count < maximumLooks {
            if !places.contains(where: { $0.region.overlap(with: box.region) > samePlace }) { places.append(box) }
        }
        return places
    }

    /// How sure a name is once the classifier has been asked.
    ///
    /// - Parameters:
    ///   - presence: of the place, `cat`, `dog` and `other`.
    ///   - kinds: what the place shows; nil: the model does not tell. The detector sees "other animal", which is no one shape,
    ///     in stones and things, too, so that the classifier has to be as sure of it.
    package static func confidence(of box: DetectedBox, by presence: HeadAnswer, kinds: HeadAnswer? = nil) -> Float {
        let label = pets.contains(box.label) ? box.label : "other"
        if box.label == other, let kinds {
            let share = otherKinds.reduce(0) { $0 + (kinds.confidence(of: $1) ?? 0) }
            return box.confidence * share * share
        }
        guard let share = presence.confidence(of: label) else { return box.confidence }
        return box.confidence * Float(power(Double((share + benefit) / (1 + benefit)), 0.5))
    }

    /// Boxes of a frame of a stream, where there is no time to ask the classifier about each: one of "other animal" is only
    /// as sure as the classifier is of such an animal in the whole frame.
    ///
    /// - Parameters:
    ///   - answers: of the classifier, about the whole frame.
    ///   - least: boxes that are less sure then are left out.
    /// - Returns: the surest first.
    package static func agreed(_ boxes: [DetectedBox], by answers: [HeadAnswer], from least: Float) -> [DetectedBox] {
        guard let presence = answers.first(where: { $0.name == "presence" }) else { return boxes }
        let kinds = answers.first { $0.name == "kinds" }
        return sorted(
            boxes.compactMap { box in
                guard box.label == other else { return box }
                var weighed = box
                weighed.confidence = confidence(of: box, by: presence, kinds: kinds)
                return weighed.confidence >= least ? weighed : nil
            })
    }

    /// Puts every second name of an animal below what is shown where nobody asks for doubtful boxes, and sorts.
    ///
    /// - Parameters:
    ///   - boxes: with their final confidences.
    ///   - leastShown: from which confidence on a box is shown.
    package static func decided(_ boxes: [DetectedBox], below leastShown: (DetectedBox) -> Float) -> [DetectedBox] {
        var decided: [DetectedBox] = []
        for var box in sorted(boxes) {
            let isSecond =
                labels.contains(box.label)
                && decided.contains {
                    $0.label != box.label && labels.contains($0.label)
                        && $0.region.overlap(with: box.region) > samePlace
                }
            if isSecond { box.confidence = min(box.confidence, 0.99 * leastShown(box)) }
            decided.append(box)
        }
        return sorted(decided)
    }

    /// The surest first; equally sure ones in the order in which they came.
    private static func sorted(_ boxes: [DetectedBox]) -> [DetectedBox] {
        boxes.indices.sorted { (boxes[$1].confidence, $0) < (boxes[$0].confidence, $1) }.map { boxes[$0] }
    }
}
