/// How well scores separate two kinds.
package enum ReceiverOperatingCharacteristic {
    /// The area under the curve: the probability that a positive scores higher than a negative. Ties count half
    /// (Mann–Whitney U / (P·N)).
    ///
    /// - Returns: nil unless both kinds occur.
    package static func area(scores: [Double], isPositive: [Bool]) -> Double? {
        let positives = isPositive.count(where: \.self)
        let negatives = isPositive.count - positives
        guard positives > 0, negatives > 0 else { return nil }
        let order = scores.indices.sorted { scores[$0] < scores[$1] }
        var rankSum = 0.0
        var start = 0
        while start < order.count {
            // NaN does not even equal itself.
            var end = start + 1
            while end < order.count, scores[order[end]] == scores[order[start]] { end += 1 }
            // Ranks count from 1. Tied scores share their mean rank.
            let rank = Double(start + end + 1) / 2
            rankSum += rank * Double(order[start..<end].count { isPositive[$0] })
            start = end
        }
        let pairs = Double(positives) * Double(negatives)
        return (rankSum - Double(positives) * Double(positives + 1) / 2) / pairs
    }
}
