import Base

/// Measures of classifiers. Shares are 0…1. The formulas are those of `Training/menagerie_training/measures.py`.
package enum Measures {
    /// The area under the receiver operating characteristic: the probability that a positive scores higher than a
    /// negative. Ties count half (Mann–Whitney U / (P·N)).
    ///
    /// - Returns: nil unless both kinds occur.
    package static func areaUnderCurve(scores: [Float], isPositive: [Bool]) -> Double? {
        let positives = isPositive.count(where: \.self)
        let negatives = isPositive.count - positives
        guard positives > 0, negatives > 0 else { return nil }
        let order = scores.indices.sorted { scores[$0] < scores[$1] }
        var rankSum = 0.0
        var start = 0
        while start < order.count {
            var end = start
            while end < order.count, scores[order[end]] == scores[order[start]] { end += 1 }
            // Ranks count from 1. Tied scores share their mean rank.
            let rank = Double(start + end + 1) / 2
            rankSum += rank * Double(order[start..<end].count { isPositive[$0] })
            start = end
        }
        let pairs = Double(positives) * Double(negatives)
        return (rankSum - Double(positives) * Double(positives + 1) / 2) / pairs
    }

    /// The expected calibration error in equal-width bins of confidence: Σ (photos in bin / photos) · |accuracy −
    /// confidence| (Guo et al. 2017, §3).
    package static func calibrationError(confidences: [Float], isRight: [Bool], bins: Int = 15) -> Double {
        var confidence = [Double](repeating: 0, count: bins)
        var right = [Double](repeating: 0, count: bins)
        for (value, isRight) in zip(confidences, isRight) {
            let bin = min(max(Int(clamping: Double(value) * Double(bins)), 0), bins - 1)
            confidence[bin] += Double(value)
            right[bin] += isRight ? 1 : 0
        }
        let error = zip(confidence, right).reduce(0) { $0 + abs($1.0 - $1.1) }
        return error / Double(max(1, confidences.count))
    }

    /// Half of the width of the 95 % interval of a measured share (Wilson 1927). The interval is wide for few photos,
    /// even if all are right.
    package static func interval(share: Double, count: Int) -> Double {
        let (z, n) = (1.96, Double(max(count, 1)))
        return z / (1 + z * z / n) * (max(share * (1 - share), 0) / n + z * z / (4 * n * n)).squareRoot()
    }
}
