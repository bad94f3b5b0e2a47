import Glibc

/// A number that divides logits before the softmax, so that confidences match how often the answers are right (Guo et
/// al. 2017, On Calibration of Modern Neural Networks, §4.2).
package enum Temperature {
    /// The temperature that makes the held-out answers likeliest, 0.05…20. It is 1 if there are no answers.
    package static func fitting(_ logits: [[Float]], classes: [Int]) -> Double {
        guard !logits.isEmpty else { return 1 }
        func loss(_ exponent: Double) -> Double { meanLoss(logits, classes, temperature: exp(exponent)) }
        // The loss has one minimum along the logarithm, so golden-section search finds it.
        let ratio = (5.0.squareRoot() - 1) / 2
        var (low, high) = (log(0.05), log(20.0))
        var (left, right) = (high - ratio * (high - low), low + ratio * (high - low))
        var (leftLoss, rightLoss) = (loss(left), loss(right))
        for _ in 0..<60 {
            if leftLoss <= rightLoss {
                (high, right, rightLoss) = (right, left, leftLoss)
                left = high - ratio * (high - low)
                leftLoss = loss(left)
            } else {
                (low, left, leftLoss) = (left, right, rightLoss)
                right = low + ratio * (high - low)
                rightLoss = loss(right)
            }
        }
        return exp((low + high) / 2)
    }

    /// The average of −log of the probability of the true class.
    package static func meanLoss(_ logits: [[Float]], _ classes: [Int], temperature: Double) -> Double {
        var sum = 0.0
        for (row, truth) in zip(logits, classes) {
            let largest = Double(row.max() ?? 0)
            var exponentials = 0.0
            for value in row { exponentials += exp((Double(value) - largest) / temperature) }
            sum += log(exponentials) - (Double(row[truth]) - largest) / temperature
        }
        return sum / Double(max(1, logits.count))
    }
}
