/// A detector's scores for all classes in one place.
package struct DetectorScores: Sendable, Equatable {
    package let labels: [String]
    /// 0…1, in the order of the labels.
    package let scores: [Float]

    package init(labels: [String], scores: [Float]) {
        self.labels = labels
        self.scores = scores
    }

    /// A place shows an animal if an animal's score reaches this share of the object's.
    static let likeness: Float = 0.4

    /// The weight of our detector's class for other animals in ``strength(for:)``. That class was trained without
    /// boxes.
    private static let unboxedShare: Float = 0.75

    /// The detector's certainty that something whole is here that may have this name.
    package func strength(for word: String) -> Float {
        let isAnimal = Animals.labels.contains(word)
        return zip(labels, scores).reduce(0) {
            if isAnimal, Animals.holders.contains($1.0) { return $0 }
            let isLess = $1.0 == Animals.other && !Animals.unnamed.contains(word)
            return max($0, isLess ? Self.unboxedShare * $1.1 : $1.1)
        }
    }

    /// The highest score of any animal class.
    package var animal: Float {
        zip(labels, scores).reduce(0) { Animals.labels.contains($1.0) ? max($0, $1.1) : $0 }
    }

    /// Whether this is an object that animals lie on, not the animal itself.
    package var isHolder: Bool {
        guard let likeliest else { return false }
        return Animals.holders.contains(labels[likeliest])
            && animal < Self.likeness * scores[likeliest]
    }

    /// The index of the highest score. Nil without classes.
    package var likeliest: Int? { scores.indices.max { scores[$0] < scores[$1] } }
}
