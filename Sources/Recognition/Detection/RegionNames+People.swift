import Base
package import Imaging

/// A crop of a person beside a dog shows the dog as well, and the classifier answers about the dog.
extension RegionNames {
    /// The least share of an animal in a crop for an answer about that animal.
    private static let visible = 0.6
    /// Two boxes show the same object from this intersection over union on.
    private static let samePlace = 0.5
    /// A person is sure from this score on, if any animal's score is less than this share of it.
    private static let surePerson: Float = 0.5
    private static let animalLikeness: Float = 0.2

    /// Finds the boxes that show a person beside an animal, not a second animal of that name: the detector prefers a
    /// person, and the crop contains most of a box of the same name that is surer and that the detector finds more like
    /// an animal.
    ///
    /// - Parameter boxes: the believed boxes of one picture, with their names.
    /// - Returns: the names of the people by their index.
    package static func people(among boxes: [DetectedBox], inWidth width: Int, height: Int) -> [Int: RegionName] {
        var people: [Int: RegionName] = [:]
        for (index, box) in boxes.enumerated() where Animals.labels.contains(box.label) {
            guard let scores = box.scores, let best = scores.likeliest, scores.labels[best] == Decision.person else {
                continue
            }
            let crop = box.region.square(margin: margin, inWidth: width, height: height)
            let isBeside = boxes.contains { animal in
                animal.label == box.label && animal.confidence >= box.confidence
                    && animal.scores.map { $0.likeness > scores.likeness } ?? false
                    && animal.region.overlap(with: box.region) <= samePlace
                    && animal.region.intersection(with: crop) >= visible * animal.region.area
            }
            if isBeside { people[index] = name(Decision.person, scores.scores[best]) }
        }
        return people
    }

    /// Whether the crop around a person also shows an animal. The classifier would answer about the animal.
    ///
    /// - Parameters:
    ///   - region: the person's box.
    ///   - scores: the detector's scores there.
    ///   - boxes: the boxes of the picture, as the detector names them.
    package static func showsAnimal(
        _ crop: PictureRegion, around region: PictureRegion, _ scores: DetectorScores, among boxes: [DetectedBox]
    ) -> Bool {
        guard let best = scores.likeliest, scores.labels[best] == Decision.person, scores.scores[best] >= surePerson,
            scores.likeness < animalLikeness
        else { return false }
        return boxes.contains { animal in
            Animals.labels.contains(animal.label) && animal.region.overlap(with: region) <= samePlace
                && animal.region.intersection(with: crop) > 0
        }
    }
}

extension DetectorScores {
    /// The score of an animal relative to that of a person.
    fileprivate var likeness: Float {
        animal / max(zip(labels, scores).first { $0.0 == Decision.person }?.1 ?? 0, .leastNormalMagnitude)
    }
}
