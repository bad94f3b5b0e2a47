import Learning

/// How well one or two models answer labelled photos that none of them learnt from, and which of two is better.
package struct ModelEvaluation: Codable, Sendable {
    /// One model on all photos that were answered.
    package struct Measured: Codable, Sendable {
        package let model: String
        package let version: String
        /// The head that was asked: the one that knows most of the classes.
        package let head: String
        package let right: Int
        /// 0…1.
        package let accuracy: Double
        /// Half of the 95 % interval of the accuracy.
        package let accuracyInterval: Double
        package let macroF1: Double
        /// Photos of which it said that it was not sure; right or wrong, they count.
        package let abstained: Int
        /// Classes that the head does not know: it cannot have their photos right.
        package let unknownClasses: [String]
        package let confusions: [TrainingReport.Confusion]
    }

    /// The first model beside the second, on the same photos.
    package struct Difference: Codable, Sendable {
        /// Whether the first model is better than the second.
        package enum Verdict: String, Codable, Sendable {
            case better, worse
            /// Chance alone would do as much in one of twenty comparisons.
            case undecided
        }

        package let bothRight: Int
        package let onlyModel: Int
        package let onlyAgainst: Int
        package let bothWrong: Int
        /// Accuracy of the first minus that of the second, −1…1.
        package let difference: Double
        /// The 95 % interval of the difference.
        package let lower: Double
        package let upper: Double
        /// McNemar's exact test: how probable so large a difference is between models that are equally good.
        package let probability: Double
        package let verdict: Verdict
        /// Photos that one of the two has right, at most `maximumPhotos`.
        package let photos: [Photo]

        /// A photo that the two models answer differently.
        package struct Photo: Codable, Sendable {
            package let file: String
            package let truth: String
            package let model: String
            package let against: String
        }

        static let maximumPhotos = 200
    }

    /// Photos that were answered.
    package let photos: Int
    package let classes: [TrainingReport.Class]
    package let skipped: [SkippedFile]
    /// One or two, as they were asked for.
    package let models: [Measured]
    /// nil where one model was asked.
    package let difference: Difference?
}

extension ModelEvaluation.Difference {
    private static let significance = 0.05

    /// - Parameters:
    ///   - photos: each with its file and its class.
    ///   - model: what the first model says of each, and the second likewise.
    init(_ photos: [(file: String, truth: String)], model: [String], against: [String]) {
        let right = [model, against].map { answers in zip(photos, answers).map { $0.truth == $1 } }
        let test = McNemar(first: right[1], second: right[0])
        let bothRight = zip(right[0], right[1]).count { $0 && $1 }
        let verdict: Verdict =
            test.probability >= Self.significance ? .undecided : test.difference > 0 ? .better : .worse
        self.init(
            bothRight: bothRight, onlyModel: test.onlySecond, onlyAgainst: test.onlyFirst,
            bothWrong: photos.count - bothRight - test.onlyFirst - test.onlySecond, difference: test.difference,
            lower: test.interval.lowerBound, upper: test.interval.upperBound, probability: test.probability,
            verdict: verdict,
            photos: photos.indices.filter { right[0][$0] != right[1][$0] }.prefix(Self.maximumPhotos).map {
                Photo(file: photos[$0].file, truth: photos[$0].truth, model: model[$0], against: against[$0])
            })
    }
}

extension ModelEvaluation.Measured {
    private static let maximumConfusions = 10

    /// - Parameter answers: to the photos, whose classes are the truths.
    init(
        model: String, version: String, head: String, knows: Set<String>, truths: [String],
        answers: [(label: String, abstained: Bool)]
    ) {
        let classes = Set(truths)
        let labels = classes.union(answers.map(\.label)).sorted()
        let places = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
        var matrix = ConfusionMatrix(labels: labels)
        for (truth, answer) in zip(truths, answers) {
            if let row = places[truth], let column = places[answer.label] { matrix.add(truth: row, answer: column) }
        }
        let right = zip(truths, answers).count { $0 == $1.label }
        let accuracy = Double(right) / Double(max(1, truths.count))
        self.init(
            model: model, version: version, head: head, right: right, accuracy: accuracy,
            accuracyInterval: Measures.interval(share: accuracy, count: truths.count),
            macroF1: matrix.macro(matrix.f1), abstained: answers.count { $0.abstained },
            unknownClasses: classes.subtracting(knows).sorted(),
            confusions: matrix.confusions(Self.maximumConfusions).map {
                TrainingReport.Confusion(truth: $0.truth, answer: $0.answer, photos: $0.photos)
            })
    }
}
