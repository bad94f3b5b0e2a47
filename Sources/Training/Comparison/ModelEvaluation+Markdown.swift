import Base
import Foundation

extension ModelEvaluation {
    /// The measures as a table.
    package var markdown: String {
        var lines = [
            "\(counted(photos, "photo")) of \(counted(classes.count, "class", "classes")), \(counted(skipped.count, "file")) left out.",
            "",
            "| model | head | right | accuracy | ± | macro F1 | unsure |", "|---|---|--:|--:|--:|--:|--:|",
        ]
        lines += models.map {
            "| \($0.model)@\($0.version) | \($0.head) | \($0.right) | \(Self.percent($0.accuracy)) | "
                + "\(Self.percent($0.accuracyInterval)) | \(Self.percent($0.macroF1)) | \($0.abstained) |"
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

    private static func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }
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
