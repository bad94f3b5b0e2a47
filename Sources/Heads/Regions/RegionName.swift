package import Scans

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
    /// Of the word, 0…1.
    package private(set) var confidence: Float
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
        self.words = words.isEmpty ? [Prediction(label: label, confidence: confidence)] : words
    }

    /// The same name, with less confidence.
    func doubted(to confidence: Float) -> RegionName {
        var name = self
        name.confidence = confidence
        if name.words.first?.label == label { name.words[0].confidence = confidence }
        return name
    }

    /// The detector's score from which on there is no doubt that a box shows something whole.
    private static let whole: Float = 0.8

    /// The name of a box of this score: it can be no surer than that something whole is there.
    package func boxed(withScore score: Float) -> RegionName {
        doubted(to: confidence * min(1, score / Self.whole))
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
