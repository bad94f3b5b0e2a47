package import Base

/// Breeds that share an answer, as in a mixed animal.
package enum Mixture {
    /// From this probability of the first breed on, the animal counts as that breed.
    static let pureFrom: Float = 0.75
    /// The least sum of two or three breeds. Below it, the answer is merely uncertain.
    static let together: Float = 0.8
    /// The least probability of each of the breeds.
    static let least: Float = 0.15

    /// The shares of two or three breeds, which sum to 1. Empty if one breed has most of the answer or more than three
    /// share it.
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
