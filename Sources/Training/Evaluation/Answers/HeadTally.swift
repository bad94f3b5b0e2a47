import Learning

/// Accumulates one head's answers for photos with a known truth.
package struct HeadTally: Sendable {
    package private(set) var confusion: ConfusionMatrix
    private var truths: [Int] = []
    /// Photo by photo, one value for each label.
    private var probabilities: [Float] = []
    /// The confidence of each likeliest label, and whether the label is right.
    private var confidences: [Float] = []
    private var isRight: [Bool] = []
    private var rightAmongThree = 0
    private var classes: Int { confusion.labels.count }

    /// - Parameter labels: the labels in the order of the probabilities.
    package init(labels: [String]) { confusion = ConfusionMatrix(labels: labels) }

    /// The number of photos so far.
    package var photos: Int { truths.count }

    /// - Precondition: there is one probability for each label, and the truth is one of the labels.
    package mutating func add(_ answer: [Float], truth: Int) {
        precondition(answer.count == classes && answer.indices.contains(truth), "an answer of another head")
        // The first of equal values wins, as in the answers of the service.
        let likelier = answer.indices.count {
            answer[$0] > answer[truth] || answer[$0] == answer[truth] && $0 < truth
        }
        if likelier < 3 { rightAmongThree += 1 }
        let best = LinearClassifier.answer(answer)
        confusion.add(truth: truth, answer: best)
        confidences.append(answer[best])
        isRight.append(best == truth)
        truths.append(truth)
        probabilities += answer
    }

    /// All measures of the head. Nil without photos.
    package func measures() -> HeadMeasures? {
        guard photos > 0 else { return nil }
        let curves = (0..<classes).filter { confusion.photos(of: $0) > 0 }.compactMap { label in
            ReceiverOperatingCharacteristic.area(
                scores: truths.indices.map { Double(probabilities[$0 * classes + label]) },
                isPositive: truths.map { $0 == label })
        }
        let top1 = Double(isRight.count { $0 }) / Double(photos)
        return HeadMeasures(
            photos: photos, classes: (0..<classes).count { confusion.photos(of: $0) > 0 }, top1: top1,
            top1Interval: Measures.interval(share: top1, count: photos),
            top3: Double(rightAmongThree) / Double(photos), macroF1: confusion.macro(confusion.f1),
            precision: confusion.macro(confusion.precision), recall: confusion.macro(confusion.recall),
            rocAUC: curves.isEmpty ? nil : curves.reduce(0, +) / Double(curves.count),
            calibrationError: Measures.calibrationError(confidences: confidences, isRight: isRight),
            mostConfused: confusion.confusions(12).map {
                .init(label: $0.truth, answer: $0.answer, photos: $0.photos)
            })
    }
}
