package import Base

/// What heads that were trained here said of a photo, beside the model. It is kept so that a repeated request is answered as
/// the first one was, whatever was learnt in between.
package struct LearntAnswers: Codable, Hashable, Sendable {
    /// Which of the animals with a name it is.
    package struct Individual: Codable, Hashable, Sendable {
        /// nil: none of those that are known.
        package var name: String?
        /// Of the name, or of its being none, 0…1.
        package var confidence: Double
        /// Names, the likeliest first.
        package var candidates: [Prediction]

        package init(name: String?, confidence: Double, candidates: [Prediction]) {
            (self.name, self.confidence, self.candidates) = (name, confidence, candidates)
        }
    }

    /// A head that was added to the model's answer.
    package struct AddedHead: Codable, Hashable, Sendable {
        /// The name of the trained model.
        package var name: String
        package var version: String
        /// Its first label is less likely than its threshold, or there is none.
        package var abstained: Bool
        /// The likeliest first; none where the photo was like nothing that the head was taught.
        package var predictions: [Prediction]

        package init(name: String, version: String, abstained: Bool, predictions: [Prediction]) {
            (self.name, self.version, self.abstained, self.predictions) = (name, version, abstained, predictions)
        }
    }

    /// nil where no animal has a name.
    package var individual: Individual?
    package var added: [AddedHead]

    package init(individual: Individual?, added: [AddedHead]) {
        (self.individual, self.added) = (individual, added)
    }
}
