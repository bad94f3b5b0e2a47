package import Base

/// What a region of a picture is called, by detector and classifier together.
package struct RegionName: Sendable, Equatable {
    /// What somebody who knows animals calls it, with the head of the classifier that knows.
    package struct Kind: Sendable, Equatable {
        package let head: String
        package let prediction: Prediction

        package init(head: String, prediction: Prediction) {
            self.head = head
            self.prediction = prediction
        }
    }

    /// The narrowest word that is sure, such as `cat`, `wild cat` or `animal`.
    package let label: String
    /// How sure it is that this is here, 0…1: of a box also that it shows something whole.
    package private(set) var confidence: Float
    /// Of the word, 0…1, whatever the box.
    package private(set) var likelihood: Float
    /// The species of an animal that is neither a cat nor a dog; nil where none is sure.
    package var species: Kind?
    /// Of a cat or a dog: what the head of its breeds says.
    package var breeds: HeadAnswer?
    /// Whether the likeliest breed is likely enough to be told.
    package var isSureOfBreed = false
    /// The likeliest words, likeliest first: what else it may be.
    package var words: [Prediction]

    package init(label: String, confidence: Float, words: [Prediction] = []) {
        self.label = label
        self.confidence = confidence
        likelihood = confidence
        self.words = words.isEmpty ? [Prediction(label: label, confidence: confidence)] : words
    }

    /// The same name, with less confidence.
    func doubted(to confidence: Float) -> RegionName {
        var name = self
        (name.confidence, name.likelihood) = (confidence, confidence)
        if name.words.first?.label == label { name.words[0].confidence = confidence }
        return name
    }

    /// The detector's score from which on there is no doubt that a box shows something whole.
    private static let whole: Float = 0.8

    /// How sure a box of this score is that has a name of this likelihood: no surer than that something whole is there. Of
    /// two such boxes the better one is surer more often with the likelihood's root than with itself.
    package static func confidence(_ likelihood: Float, boxedWithScore score: Float) -> Float {
        likelihood.squareRoot() * min(1, score / whole)
    }

    /// The name of a box of this score.
    package func boxed(withScore score: Float) -> RegionName {
        var name = doubted(to: Self.confidence(confidence, boxedWithScore: score))
        name.likelihood = likelihood
        return name
    }

    /// The breed, or the species, that is sure; nil where none is.
    package var kind: Kind? {
        guard isSureOfBreed, let breeds, let first = breeds.first else { return species }
        return Kind(head: breeds.name, prediction: first)
    }

    /// How likely a label is: of the words, the species and the breeds; nil where it is none of them.
    package func confidence(of label: String) -> Float? {
        if let word = words.first(where: { $0.label == label }) { return word.confidence }
        if let species, species.prediction.label == label { return species.prediction.confidence }
        return breeds?.confidence(of: label).map { $0 * confidence }
    }
}
