import Imaging

/// The labels that mean animals, and the groups of labels that can show the same object.
package enum Animals {
    /// The label of our detector for an animal without a class of its own.
    package static let other = "other animal"

    /// COCO's animals.
    static let named = ["bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"]

    /// Names for animals that detectors have no classes for.
    package static let unnamed = ["wild cat", "wild dog", RegionNames.animal]

    /// Every name for an animal: COCO's, our detector's, and the classifier's.
    package static let labels = Set(named + [other] + unnamed)

    /// The head that knows the breeds for each label.
    package static let breedHeads = ["cat": "cats", "dog": "dogs"]

    /// Objects that detectors mistake for animals.
    private static let likenesses: Set<String> = ["teddy bear", "toy"]

    /// Vehicles, which detectors mistake for one another.
    private static let vehicles: Set<String> = ["car", "bus", "truck", "train"]

    /// Objects that animals lie on or sit in. Such a box may contain an animal and still show the object.
    static let holders: Set<String> = [
        "bed", "couch", "chair", "bench", "dining table", "car", "bus", "truck", "train", "boat", "tv", "laptop",
        "refrigerator", "sink", "toilet", "suitcase", "book",
    ]

    /// The family of a label. Detectors confuse labels of one family, so overlapping boxes of a family show the same
    /// object.
    package static func family(of label: String) -> String {
        if labels.contains(label) || likenesses.contains(label) { return RegionNames.animal }
        return vehicles.contains(label) ? "vehicle" : label
    }
}
