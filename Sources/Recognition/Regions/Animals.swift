import Imaging

/// What of the words for boxes means an animal, and which boxes show the same one.
package enum Animals {
    /// An animal of a species that has no class of its own, as our detector calls it.
    package static let other = "other animal"

    /// Words for animals that detectors have no classes for.
    package static let unnamed = ["wild cat", "wild dog", RegionNames.animal]

    /// Every word for an animal: COCO's, our detector's, and those that only the classifier knows.
    package static let labels: Set<String> = Set(
        ["bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", other] + unnamed)

    /// The heads that know the breeds of what is called by these words.
    package static let breedHeads = ["cat": "cats", "dog": "dogs"]

    /// What looks like an animal to detectors.
    private static let likenesses: Set<String> = ["teddy bear", "toy"]

    /// Things that detectors take for one another.
    private static let vehicles: Set<String> = ["car", "bus", "truck", "train"]

    /// Things that animals lie on and sit in: an animal is seen in such a box without the box being its own.
    static let holders: Set<String> = [
        "bed", "couch", "chair", "bench", "dining table", "car", "bus", "truck", "train", "boat", "tv", "laptop",
        "refrigerator", "sink", "toilet", "suitcase", "book",
    ]

    /// Labels of one family are taken for one another, so that boxes upon each other show one thing.
    package static func family(of label: String) -> String {
        if labels.contains(label) || likenesses.contains(label) { return RegionNames.animal }
        return vehicles.contains(label) ? "vehicle" : label
    }
}
