/// Accumulates one head's answers for photos with a known truth.
package struct HeadTally: Sendable {
    package private(set) var confusion: ConfusionMatrix
    private var truths: [Int] = []
    /// Photo by photo, one value for each label.
    private var probabilities: [Float] = []
    private var right = 0
    private var rightAmongThree = 0
    private var classes: Int { confusion.labels.count }

    /// - Parameter labels: the labels in the order of the probabilities.
    package init(labels: [String]) {
        confusion = ConfusionMatrix(labels: labels)
    }

    /// The number of photos so far.
    package var photos: Int { truths.count }

    /// - Precondition: there is one probability for each label, and the truth is one of the labels.
    package mutating func add(_ answer: [Float], truth: Int) {
        precondition(answer.count == classes && answer.indices.contains(truth), "an answer of another head")
        // The first of equal values wins, as in the answers of the service.
        let likelier = answer.indices.count {
            answer[$0] > answer[truth] || answer[$0] == answer[truth] && $0 < truth
        }
        if likelier == 0 { right += 1 }
        if likelier < 3 { rightAmongThree += 1 }
        confusion.add(truth: truth, answer: Self.likeliest(answer))
        truths.append(truth)
        probabilities += answer
    }

    /// All measures of the head. Nil without photos.
    package func measures() -> HeadMeasures? {
        guard photos > 0 else { return nil }
        var confidences: [Float] = []
        var isRight: [Bool] = []
        for (photo, truth) in truths.enumerated() {
            let answer = probabilities[photo * classes..<(photo + 1) * classes]
            let best = Self.likeliest(Array(answer))
            confidences.append(answer[answer.startIndex + best])
            isRight.append(best == truth)
        }
        let curves = (0..<classes).filter { confusion.photos(of: $0) > 0 }.compactMap { label in
            Measures.areaUnderCurve(
                scores: truths.indices.map { probabilities[$0 * classes + label] },
                isPositive: truths.map { $0 == label })
        }
        let top1 = Double(right) / Double(photos)
        return HeadMeasures(
            photos: photos, classes: confusion.macroClasses, top1: top1,
            top1Interval: Measures.interval(share: top1, count: photos),
            top3: Double(rightAmongThree) / Double(photos), macroF1: confusion.macro(confusion.f1),
            precision: confusion.macro(confusion.precision), recall: confusion.macro(confusion.recall),
            rocAUC: curves.isEmpty ? nil : curves.reduce(0, +) / Double(curves.count),
            calibrationError: Measures.calibrationError(confidences: confidences, isRight: isRight),
            mostConfused: confusion.confusions(12).map {
                .init(label: $0.truth, answer: $0.answer, photos: $0.photos)
            })
    }

    private static func likeliest(_ answer: [Float]) -> Int {
        answer.indices.max { (answer[$0], $1) < (answer[$1], $0) } ?? 0
    }
}

extension ConfusionMatrix {
    /// The number of classes that have photos.
    fileprivate var macroClasses: Int { labels.indices.count { photos(of: $0) > 0 } }
}
