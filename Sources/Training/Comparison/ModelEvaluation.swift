import Base
import Foundation
import Learning

/// The performance of one or two models on labelled photos that neither learnt from, and which of two is better.
package struct ModelEvaluation: Codable, Sendable {
    /// The measures of one model on all answered photos.
    package struct Measured: Codable, Sendable {
        package let model: String
        package let version: String
        /// The measured head: the one that knows most of the classes.
        package let head: String
        package let right: Int
        /// The share of right answers, 0…1.
        package var accuracy: Double
        /// Half of the width of the accuracy's 95 % interval.
        package var accuracyInterval: Double
        package var macroF1: Double
        /// The number of photos on which the model abstained. Their answers still count as right or wrong.
        package let abstained: Int
        /// The classes that the head does not know. It gets all their photos wrong.
        package let unknownClasses: [String]
        package let confusions: [ConfusionMatrix.Confusion]
    }

    /// The comparison of both models on the same photos.
    package struct Difference: Codable, Sendable {
        package enum Verdict: String, Codable, Sendable {
            case better, worse
            /// Chance alone would give such a difference in more than one of twenty comparisons.
            case undecided
        }

        package let bothRight: Int
        package let onlyModel: Int
        package let onlyAgainst: Int
        package let bothWrong: Int
        /// The accuracy of the first model minus that of the second, −1…1.
        package let difference: Double
        /// The 95 % interval of the difference.
        package let lower: Double
        package let upper: Double
        /// McNemar's exact test: the probability of at least such a difference between equally good models.
        package let probability: Double
        package let verdict: Verdict
        /// The photos that only one of the two gets right, at most `maximumPhotos`.
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

    /// The number of answered photos.
    package let photos: Int
    package let classes: [TrainingReport.Class]
    package let skipped: [SkippedFile]
    /// One or two models, in the order of the request.
    package let models: [Measured]
    /// Nil if only one model was measured.
    package let difference: Difference?
}

extension ModelEvaluation.Difference {
    private static let significance = 0.05

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

    /// - Parameter answers: the answers for the photos with the classes in `truths`.
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
            confusions: matrix.confusions(Self.maximumConfusions))
    }
}

extension ModelEvaluation {
    /// The measures as a table.
    package var markdown: String {
        var lines = [
            "\(counted(photos, "photo")) of \(counted(classes.count, "class", "classes")), \(counted(skipped.count, "file")) left out.",
            "",
            "| model | head | right | accuracy | ± | macro F1 | unsure |", "|---|---|--:|--:|--:|--:|--:|",
        ]
        lines += models.map {
            "| \($0.model)@\($0.version) | \($0.head) | \($0.right) | \(Measures.percent($0.accuracy)) | "
                + "\(Measures.percent($0.accuracyInterval)) | \(Measures.percent($0.macroF1)) | \($0.abstained) |"
        }
        for model in models where !model.unknownClasses.isEmpty {
            lines += [
                "", "\(model.model)@\(model.version) does not know \(model.unknownClasses.joined(separator: ", ")).",
            ]
        }
        if let difference, models.count == 2 {
            let (model, against) = (
                "\(models[0].model)@\(models[0].version)", "\(models[1].model)@\(models[1].version)"
            )
            lines += [
                "", "| | \(against) right | \(against) wrong |", "|---|--:|--:|",
                "| \(model) right | \(difference.bothRight) | \(difference.onlyModel) |",
                "| \(model) wrong | \(difference.onlyAgainst) | \(difference.bothWrong) |", "",
                difference.sentence(model, against),
            ]
        }
        let reasons = Dictionary(skipped.map { ($0.reason.why, 1) }, uniquingKeysWith: +)
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !reasons.isEmpty { lines += ["", "Left out:", ""] + reasons.prefix(10).map { "- \($0.value): \($0.key)" } }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ModelEvaluation.Difference {
    /// A sentence that says which of the two models is better.
    package func sentence(_ model: String, _ against: String) -> String {
        let verdict =
            switch self.verdict {
            case .better: "\(model) is better than \(against)"
            case .worse: "\(model) is worse than \(against)"
            case .undecided: "These photos do not tell which of \(model) and \(against) is better"
            }
        return verdict
            + String(
                format: ": %+.1f points, 95 %% interval %+.1f to %+.1f (McNemar's exact test: p = %.4f).",
                difference * 100, lower * 100, upper * 100, probability)
    }
}
