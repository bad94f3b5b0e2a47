import Base
import Imaging

/// A crop of a person beside a dog shows the dog as well, and the classifier answers about the dog.
extension RegionNames {
    /// The least share of an animal in a crop for an answer about that animal.
    private static let visible = 0.6
    /// Two boxes show the same object from this intersection over union on.
    private static let samePlace = 0.5

    /// Finds the boxes that show a person beside an animal, not a second animal of that name: the detector prefers a
    /// person, and the crop contains most of a box of the same name that the detector finds more like an animal.
    ///
    /// - Parameters:
    ///   - boxes: the believed boxes of one picture, with their names.
    ///   - margin: the margin of the crops around the boxes.
    /// - Returns: the names of the people by their index.
    package static func people(
        among boxes: [DetectedBox], margin: Double, inWidth width: Int, height: Int
    ) -> [Int: RegionName] {
        var people: [Int: RegionName] = [:]
        for (index, box) in boxes.enumerated() where Animals.labels.contains(box.label) {
            guard let scores = box.scores, let best = scores.likeliest, scores.labels[best] == Decision.person else {
                continue
            }
            let crop = box.region.square(margin: margin, inWidth: width, height: height)
            let isBeside = boxes.contains { animal in
                animal.label == box.label && animal.scores.map { $0.likeness > scores.likeness } ?? false
                    && animal.region.overlap(with: box.region) <= samePlace
                    && animal.region.intersection(with: crop) >= visible * animal.region.area
            }
            if isBeside { people[index] = name(Decision.person, scores.scores[best]) }
        }
        return people
    }
}

extension DetectorScores {
    /// The score of an animal relative to that of a person.
    fileprivate var likeness: Float {
        animal / max(zip(labels, scores).first { $0.0 == Decision.person }?.1 ?? 0, .leastNormalMagnitude)
    }
}
