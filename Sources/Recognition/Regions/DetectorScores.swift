/// What a detector gives to each of its classes at one place.
package struct DetectorScores: Sendable, Equatable {
    package let labels: [String]
    /// 0…1, in the order of the labels.
    package let scores: [Float]

    package init(labels: [String], scores: [Float]) {
        self.labels = labels
        self.scores = scores
    }

    /// Share of a thing's score from which on an animal's makes its place an animal's.
    static let likeness: Float = 0.4

    /// Share of the score of our detector's class for other animals that tells how well a box fits: it was never taught by boxes.
    private static let unboxedShare: Float = 0.75

    /// How sure the detector is that something whole is here that may have this name.
    package func strength(for word: String) -> Float {
        let isAnimal = Animals.labels.contains(word)
        return zip(labels, scores).reduce(0) {
            if isAnimal, Animals.holders.contains($1.0) { return $0 }
            let isLess = $1.0 == Animals.other && !Animals.unnamed.contains(word)
            return max($0, isLess ? Self.unboxedShare * $1.1 : $1.1)
        }
    }

    /// The most that any animal has.
    package var animal: Float {
        zip(labels, scores).reduce(0) { Animals.labels.contains($1.0) ? max($0, $1.1) : $0 }
    }

    /// Whether this is something that an animal lies on, rather than the animal.
    package var isHolder: Bool {
        guard let likeliest else { return false }
        return Animals.holders.contains(labels[likeliest])
            && animal < Self.likeness * scores[likeliest]
    }

    /// Index of the class that has most; nil without classes.
    package var likeliest: Int? { scores.indices.max { scores[$0] < scores[$1] } }
}
