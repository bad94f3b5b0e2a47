extension ModelManifest {
    /// The words and weights by which a classifier and a detector name a region together.
    ///
    /// A word's logit is a weighted sum of logarithms. `Training/menagerie_training/detection/regions.py` fits the
    /// weights.
    package struct Regions: Codable, Sendable, Equatable {
        /// Added to each share before its logarithm is taken. Smaller shares then make no difference.
        package struct Floors: Codable, Sendable, Equatable {
            package let detector, kinds, zoo, objects: Float
        }

        /// The weights for one sort of words.
        package struct Weights: Codable, Sendable, Equatable {
            /// The weights of the logarithm of the detector's score for the word, and of the score itself.
            package let own, score: Float
            /// The weights of the heads with these names.
            package let kinds, zoo, objects: Float
            package let bias: Float
        }

        /// The weights for the case that no word fits: scenes and things among the kinds, and objects without a word.
        package struct Nothing: Codable, Sendable, Equatable {
            package let kinds, objects, bias: Float
        }

        /// One set of weights.
        package struct Fit: Codable, Sendable, Equatable {
            /// The weights for COCO's animals, COCO's things, people, toys, and animals without a detector class.
            package let animal, thing, person, toy, unnamed: Weights
            package let nothing: Nothing
            /// Added to the logit of a word without a class among the `objects`.
            package let unmapped: Float
        }

        /// The labels of each head that mean a word.
        package struct Word: Codable, Sendable, Equatable {
            package let kinds: [String]
            package let zoo: [String]?
            package let objects: [String]?
        }

        package let floors: Floors
        /// The weights for regions that both networks saw.
        package let together: Fit
        /// The weights for regions without a box, which only the classifier saw.
        package let closer: Fit
        package let words: [String: Word]
    }
}
