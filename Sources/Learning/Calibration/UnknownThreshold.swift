/// The confidence below which an answer is called unsure.
package enum UnknownThreshold {
    /// The share of right answers that should stay above the threshold.
    package static let keptShare = 0.95
    /// The upper limit of the threshold. Photos of another day are less certain than held-out ones.
    package static let largest = 0.7

    /// The confidence that the share ``keptShare`` of right held-out answers reaches, at most ``largest``. It is 0 if
    /// no answer was right.
    ///
    /// - Parameters:
    ///   - confidences: the calibrated confidence of each first label, 0…1.
    ///   - isRight: whether that label was the true one.
    package static func keepingRightAnswers(confidences: [Double], isRight: [Bool]) -> Double {
        let right = zip(confidences, isRight).filter(\.1).map(\.0).sorted()
        guard !right.isEmpty else { return 0 }
        return min(largest, right[min(right.count - 1, Int(Double(right.count) * (1 - keptShare)))])
    }
}
