extension ModelManifest {
    /// The words and weights by which a classifier and a detector name a region together.
    ///
    /// The decision is a multinomial logistic regression on logarithms of both networks' probabilities.
    /// `Training/menagerie_training/detection/regions.py` fits the weights.
    package struct Regions: Codable, Sendable, Equatable {
        /// The probability of each source that counts as next to nothing: a share p has the level ln(1 + p / floor).
        package struct Floors: Codable, Sendable, Equatable {
            package let detector, kinds, zoo, objects: Float
        }

        /// The logit of a word: `bias` and the weighted inputs. Inputs that are not listed have the weight 0.
        package struct Sum: Codable, Sendable, Equatable {
            package let bias: Float
            /// By the input's name, such as `detector.cat` (see `RegionLikelihoods`).
            package let weights: [String: Float]
        }

        /// What tells things apart: the level of the thing's own score, the score itself, the level of its objects, and
        /// a constant for things without such classes.
        package struct Things: Codable, Sendable, Equatable {
            package let own, score, objects, unmapped: Float
        }

        /// One set of weights.
        package struct Fit: Codable, Sendable, Equatable {
            package let things: Things
            /// The logits of words. `thing` stands for all words that are not listed, `nothing` for no word.
            package let words: [String: Sum]
        }

        /// The labels of each head that mean a word.
        package struct Word: Codable, Sendable, Equatable {
            package let zoo: [String]?
            package let objects: [String]?
        }

        package let floors: Floors
        /// The weights for regions that both networks saw.
        package let together: Fit
        /// The weights for regions without a box, which only the classifier saw.
        package let closer: Fit
        package let words: [String: Word]

        /// The problem that makes the regions unusable, with its key. Nil if there is none.
        var problem: String? {
            if words.isEmpty { return "\"regions.words\" names no word" }
            if together.words.isEmpty { return "\"regions.together.words\" has no weights" }
            if closer.words.isEmpty { return "\"regions.closer.words\" has no weights" }
            let isAbove = [floors.detector, floors.kinds, floors.zoo, floors.objects].allSatisfy { $0 > 0 }
            return isAbove ? nil : "\"regions.floors\" are to be above 0"
        }
    }
}
