/// One label with its probability.
package struct Prediction: Sendable, Equatable {
    /// Class name as in the manifest, snake_case.
    package let label: String
    /// 0…1.
    package let confidence: Float

    package init(label: String, confidence: Float) {
        self.label = label
        self.confidence = confidence
    }

    /// With one decimal and a point in every language: `91.2%`.
    package var percent: String {
        let tenths = Int((Double(confidence) * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10)%"
    }
}

/// What one head says of a photo: a probability for each of its labels.
package struct HeadAnswer: Sendable, Equatable {
    /// Name of the head: presence, cats, dogs, zoo, objects, fruit.
    package let name: String
    /// Class names in the manifest's order.
    package private(set) var labels: [String]
    /// 0…1 in the same order. They sum to 1, but for derived heads and networks with a background class, where the
    /// rest is "none of these".
    package private(set) var probabilities: [Float]

    /// The likeliest labels, likeliest first; equal ones in the manifest's order.
    package func top(_ count: Int) -> [Prediction] {
        let order =
            count == 1
            ? probabilities.indices.max { (probabilities[$0], $1) < (probabilities[$1], $0) }.map { [$0] } ?? []
            : probabilities.indices.sorted { (probabilities[$1], $0) < (probabilities[$0], $1) }
        return order.prefix(max(0, count)).map { Prediction(label: labels[$0], confidence: probabilities[$0]) }
    }

    /// Leaves a class out of the answer.
    mutating func remove(at index: Int) {
        labels.remove(at: index)
        probabilities.remove(at: index)
    }

    /// All labels, likeliest first.
    package var sorted: [Prediction] { top(labels.count) }

    /// The likeliest label.
    package var first: Prediction? { top(1).first }

    /// The probability of a label; nil when the head does not have it.
    package func confidence(of label: String) -> Float? {
        labels.firstIndex(of: label).map { probabilities[$0] }
    }
}

/// From logits to probabilities.
enum Softmax {
    /// exp(x/T) / Σ exp(x/T), shifted by the maximum so that nothing overflows; sums in double precision.
    static func probabilities(of logits: [Float], temperature: Float = 1) -> [Float] {
        let maximum = logits.max() ?? 0
        let exponentials = logits.map { exponential(Double(($0 - maximum) / temperature)) }
        let sum = exponentials.reduce(0, +)
        return exponentials.map { Float($0 / sum) }
    }
}
