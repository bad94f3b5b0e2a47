package import Base

/// The answers of heads that were trained here, beside the model's. They are kept so that a repeated request gets its
/// first answer, whatever was learnt in between.
package struct LearntAnswers: Codable, Hashable, Sendable {
    /// Which of the named animals the photo shows.
    package struct Individual: Codable, Hashable, Sendable {
        /// Nil if it is none of the known animals.
        package var name: String?
        /// The confidence in the name, or in the animal being unknown, 0…1.
        package var confidence: Double
        /// Names, likeliest first.
        package var candidates: [Prediction]

        package init(name: String?, confidence: Double, candidates: [Prediction]) {
            (self.name, self.confidence, self.candidates) = (name, confidence, candidates)
        }
    }

    /// A head that was added to the model's answer.
    package struct AddedHead: Codable, Hashable, Sendable {
        package var name: String
        package var version: String
        /// Whether the first label is missing or less likely than its threshold.
        package var abstained: Bool
        /// Likeliest first. Empty if the photo resembles nothing that the head was taught.
        package var predictions: [Prediction]

        package init(name: String, version: String, abstained: Bool, predictions: [Prediction]) {
            (self.name, self.version, self.abstained, self.predictions) = (name, version, abstained, predictions)
        }
    }

    /// Nil if no animal has a name.
    package var individual: Individual?
    package var added: [AddedHead]

    package init(individual: Individual?, added: [AddedHead]) {
        (self.individual, self.added) = (individual, added)
    }
}
