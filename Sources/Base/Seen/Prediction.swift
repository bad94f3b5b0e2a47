/// One label with its probability.
package struct Prediction: Codable, Hashable, Sendable {
    /// The model's label, such as `siamese`: also the identifier of its article.
    package var label: String
    /// The calibrated probability, 0…1, as precise as networks compute.
    package var confidence: Float

    package init(label: String, confidence: Float) {
        self.label = label
        self.confidence = confidence
    }

    /// With four decimals, more than which no confidence deserves.
    package var rounded: Prediction {
        Prediction(label: label, confidence: Float((Double(confidence) * 10_000).rounded() / 10_000))
    }

    /// Whether ``percent`` says more than `0.0%`.
    package var isAboveZero: Bool { confidence >= 0.0005 }

    /// With one decimal and a point in every language: `91.2%`.
    package var percent: String {
        let tenths = Int(clamping: (min(max(0, Double(confidence)), 1) * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10)%"
    }
}
