package import Base

/// The name of a region of a picture, from the detector and the classifier together.
package struct RegionName: Sendable, Equatable {
    /// A breed or species, with the classifier's head that names it.
    package struct Kind: Sendable, Codable, Equatable {
        package let head: String
        package let prediction: Prediction

        package init(head: String, prediction: Prediction) {
            self.head = head
            self.prediction = prediction
        }
    }

    /// The narrowest sure name, such as `cat`, `wild cat` or `animal`.
    package let label: String
    /// The confidence, 0…1. For a box it includes that the box shows something whole.
    package private(set) var confidence: Float
    /// The likelihood of the name alone, 0…1, whatever the box.
    package private(set) var likelihood: Float
    /// The species of an animal other than a cat or a dog. Nil if unsure.
    package var species: Kind?
    /// The breeds of a cat or a dog.
    package var breeds: HeadAnswer?
    /// Whether the likeliest breed is likely enough to be reported.
    package var isSureOfBreed = false
    /// The likeliest names in descending order, which show the alternatives.
    package var words: [Prediction]

    package init(label: String, confidence: Float, words: [Prediction] = []) {
        self.label = label
        self.confidence = confidence
        likelihood = confidence
        self.words = words.isEmpty ? [Prediction(label: label, confidence: confidence)] : words
    }

    /// A copy with less confidence.
    func doubted(to confidence: Float) -> RegionName {
        var name = self
        (name.confidence, name.likelihood) = (confidence, confidence)
        if name.words.first?.label == label { name.words[0].confidence = confidence }
        return name
    }

    /// From this detector score on, a box surely shows something whole.
    private static let whole: Float = 0.8

    /// The confidence of a box with this score and a name of this likelihood. It is at most the certainty that the box
    /// shows something whole. Measured on pairs of such boxes, the square root of the likelihood ranks them best.
    package static func confidence(_ likelihood: Float, boxedWithScore score: Float) -> Float {
        likelihood.squareRoot() * min(1, score / whole)
    }

    /// A copy for a box with this score.
    package func boxed(withScore score: Float) -> RegionName {
        var name = doubted(to: Self.confidence(confidence, boxedWithScore: score))
        name.likelihood = likelihood
        return name
    }

    /// The breed or species. Nil if unsure.
    package var kind: Kind? {
        guard isSureOfBreed, let breeds, let first = breeds.first else { return species }
        return Kind(head: breeds.name, prediction: first)
    }

    /// The confidence of a label among the names, the species and the breeds. Nil if it is not among them.
    package func confidence(of label: String) -> Float? {
        if let word = words.first(where: { $0.label == label }) { return word.confidence }
        if let species, species.prediction.label == label { return species.prediction.confidence }
        return breeds?.confidence(of: label).map { $0 * confidence }
    }

    /// The number of breeds in an answer for a scan.
    private static let agreedBreeds = 3

    /// The answer for a scan of what the region shows.
    package var agreed: AgreedAnswer? {
        AgreedAnswer(
            label: label, breeds: breeds?.listed(Self.agreedBreeds) ?? [], isSureOfBreed: isSureOfBreed,
            species: species)
    }
}

extension AgreedAnswer {
    /// Nil if the classifier has no head for the animal, or is not sure which species it is.
    ///
    /// - Parameters:
    ///   - label: `cat`, `dog`, or any other word for what the pictures show.
    ///   - breeds: those of a cat or a dog, likeliest first.
    ///   - species: that of any other animal; nil if unsure.
    package init?(label: String, breeds: [Prediction], isSureOfBreed: Bool, species: RegionName.Kind?) {
        if let head = Animals.breedHeads[label] {
            self.init(head: head, predictions: breeds, isSure: isSureOfBreed && !breeds.isEmpty)
        } else if let species {
            self.init(head: species.head, predictions: [species.prediction], isSure: true)
        } else {
            return nil
        }
    }
}
