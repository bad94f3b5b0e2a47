package import Base
import func Glibc.exp

/// The answer of one head for a photo: a probability for each of its labels.
package struct HeadAnswer: Sendable, Equatable {
    /// The name of the head: presence, cats, dogs, zoo, objects, fruit.
    package let name: String
    /// Class names in the manifest's order.
    package private(set) var labels: [String]
    /// 0…1, in the order of the labels. They sum to 1, except for derived heads and networks with a background class.
    /// There the rest means "none of these".
    package private(set) var probabilities: [Float]

    /// The likeliest labels above zero per cent, likeliest first. An answer lists these.
    package func listed(_ count: Int) -> [Prediction] { Array(top(count).prefix { $0.isAboveZero }) }

    /// The likeliest labels, likeliest first. Equal ones keep the manifest's order.
    package func top(_ count: Int) -> [Prediction] {
        likeliest(max(0, count)).map { Prediction(label: labels[$0], confidence: probabilities[$0]) }
    }

    /// Indices of the likeliest labels. Sorting a thousand for each photo would be noticeably slower.
    private func likeliest(_ count: Int) -> [Int] {
        guard count * 8 < probabilities.count else {
            return Array(probabilities.indices.sorted { probabilities[$0] > probabilities[$1] }.prefix(count))
        }
        var best: [Int] = []
        best.reserveCapacity(count + 1)
        for (index, probability) in probabilities.enumerated() {
            // Later labels do not displace equal ones.
            if best.count == count, let last = best.last, probabilities[last] >= probability { continue }
            let place = best.firstIndex { probabilities[$0] < probability } ?? best.count
            best.insert(index, at: place)
            if best.count > count { best.removeLast() }
        }
        return best
    }

    mutating func remove(at index: Int) {
        labels.remove(at: index)
        probabilities.remove(at: index)
    }

    package var first: Prediction? { top(1).first }

    /// A copy in which these labels have these probabilities and stand before all others, which share the rest.
    ///
    /// - Parameter predictions: likeliest first.
    func agreeing(with predictions: [Prediction]) -> HeadAnswer {
        let places = predictions.compactMap { prediction in
            labels.firstIndex(of: prediction.label).map { ($0, prediction.confidence) }
        }
        guard let least = places.last?.1, least > 0 else { return self }
        var answer = self
        for (index, _) in places { answer.probabilities[index] = 0 }
        let (others, rest) = (answer.probabilities.reduce(0, +), max(0, 1 - places.reduce(0) { $0 + $1.1 }))
        let share = others > rest ? rest / others : 1
        answer.probabilities = answer.probabilities.map { min($0 * share, least.nextDown) }
        for (index, confidence) in places { answer.probabilities[index] = confidence }
        return answer
    }

    /// The probability of a label. Nil if the head does not have it.
    package func confidence(of label: String) -> Float? {
        labels.firstIndex(of: label).map { probabilities[$0] }
    }
}

extension [HeadAnswer] {
    /// The answer of a head. Nil if the model does not have it.
    package subscript(_ head: String) -> HeadAnswer? { first { $0.name == head } }
}

/// Converts logits to probabilities.
enum Softmax {
    /// exp(x/T) / Σ exp(x/T), shifted by the maximum so that nothing overflows. Sums are in double precision.
    static func probabilities(of logits: [Float], temperature: Float = 1) -> [Float] {
        let maximum = logits.max() ?? 0
        let exponentials = logits.map { exp(Double(($0 - maximum) / temperature)) }
        let sum = exponentials.reduce(0, +)
        return exponentials.map { Float($0 / sum) }
    }
}

extension ModelManifest.Head {
    /// The probabilities that the output's values represent, in their order.
    func probabilities(of values: [Float], temperature: Float) -> [Float] {
        switch interpretation {
        case .logits:
            let (scale, zero) = (scale ?? 1, zeroPoint ?? 0)
            let isPlain = scale == 1 && zero == 0
            return Softmax.probabilities(
                of: isPlain ? values : values.map { scale * ($0 - zero) }, temperature: temperature)
        case .probabilities:
            return values.map { min(max($0, 0), 1) }
        case .quantised:
            let (scale, zero) = (scale ?? 1 / 256, zeroPoint ?? 0)
            return values.map { min(max(scale * ($0 - zero), 0), 1) }
        }
    }
}
