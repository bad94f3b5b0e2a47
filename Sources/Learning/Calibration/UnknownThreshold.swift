/// The confidence below which an answer is called unsure.
package enum UnknownThreshold {
    /// Share of the right answers that shall stay above it.
    package static let keptShare = 0.95
    /// Where all held-out answers were surer still, photos of another day will not be.
    package static let largest = 0.7

    /// The confidence that ``keptShare`` of the right held-out answers reach, at most ``largest``; 0 where none
    /// was right.
    ///
    /// - Parameters:
    ///   - confidences: of the first label, calibrated, 0…1.
    ///   - isRight: whether that label was the true one.
    package static func keepingRightAnswers(confidences: [Double], isRight: [Bool]) -> Double {
        let right = zip(confidences, isRight).filter(\.1).map(\.0).sorted()
        guard !right.isEmpty else { return 0 }
        return min(largest, right[min(right.count - 1, Int(Double(right.count) * (1 - keptShare)))])
    }
}
