package import Base

/// Breeds that share an answer, as in a mixed animal.
package enum Mixture {
    /// The first breed is less likely than this: above, the animal is that breed.
    static let pureFrom: Float = 0.75
    /// Two or three breeds together have at least this much; below, the answer is merely unsure.
    static let together: Float = 0.8
    /// Each of them has at least this much.
    static let least: Float = 0.15

    /// Shares of the two or three breeds between which the answer is divided, summing to 1; empty where one breed has
    /// most of it, or where it is spread over more.
    ///
    /// - Parameter predictions: the likeliest labels of one head, likeliest first.
    package static func shares(of predictions: [Prediction]) -> [Prediction] {
        guard let first = predictions.first, first.confidence < pureFrom else { return [] }
        for count in 2...3 where predictions.count >= count {
            let parts = predictions.prefix(count)
            let sum = parts.reduce(0) { $0 + $1.confidence }
            guard parts.allSatisfy({ $0.confidence >= least }) else { return [] }
            if sum >= together {
                return parts.map { Prediction(label: $0.label, confidence: $0.confidence / sum) }
            }
        }
        return []
    }
}
