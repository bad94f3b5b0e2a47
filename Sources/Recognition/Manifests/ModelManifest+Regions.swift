extension ModelManifest {
    /// How a classifier and a detector name a region together: the words, and what each network's say weighs.
    ///
    /// A word's logit is a weighted sum of logarithms; `Training/menagerie_training/detection/regions.py` finds the weights.
    package struct Regions: Codable, Sendable, Equatable {
        /// What each share is raised by before its logarithm is taken: below it a network says no more.
        package struct Floors: Codable, Sendable, Equatable {
            package let detector, kinds, zoo, objects: Float
        }

        /// The weights of a sort of words.
        package struct Weights: Codable, Sendable, Equatable {
            /// Of the logarithm of what the detector gives the word, and of that score itself.
            package let own, score: Float
            /// Of what the heads of these names give the word.
            package let kinds, zoo, objects: Float
            package let bias: Float
        }

        /// The weights of the case that no word fits: of scenes and things among the kinds, of objects without a word.
        package struct Nothing: Codable, Sendable, Equatable {
            package let kinds, objects, bias: Float
        }

        /// One set of weights.
        package struct Fit: Codable, Sendable, Equatable {
            /// Of COCO's animals, of its things, of people, of toys, and of animals that detectors have no class for.
            package let animal, thing, person, toy, unnamed: Weights
            package let nothing: Nothing
            /// Added to the logit of a word that `objects` have no class for.
            package let unmapped: Float
        }

        /// The labels of each head that mean a word.
        package struct Word: Codable, Sendable, Equatable {
            package let kinds: [String]
            package let zoo: [String]?
            package let objects: [String]?
        }

        package let floors: Floors
        /// Where both networks looked.
        package let together: Fit
        /// Where no box was found, and the classifier alone looked.
        package let closer: Fit
        package let words: [String: Word]
    }
}
