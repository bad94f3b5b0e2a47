/// One label with its probability.
package struct Prediction: Codable, Hashable, Sendable {
    /// The model's label, such as `siamese`, which also identifies its article.
    package var label: String
    /// The calibrated probability, 0…1, with the precision of the network.
    package var confidence: Float

    package init(label: String, confidence: Float) {
        self.label = label
        self.confidence = confidence
    }

    /// The prediction with four decimals. More would claim too much precision.
    package var rounded: Prediction {
        Prediction(label: label, confidence: Float(confidence.rounded4))
    }

    /// Whether ``percent`` is above `0.0%`.
    package var isAboveZero: Bool { confidence >= 0.0005 }

    /// The percentage with one decimal, and with a point in every language: `91.2%`.
    package var percent: String { confidence.percent }
}

/// A language of articles and answers.
package enum Language: String, Sendable, Codable, CaseIterable {
    case english = "en"
    case finnish = "fi"
}
