import Base
import Foundation

/// The results of an evaluation, for files and tables.
package struct EvaluationReport: Sendable, Equatable, Codable {
    /// A photo that could not be measured, and the reason.
    package struct Failure: Sendable, Equatable, Codable {
        package let path: String
        package let reason: String
    }

    /// The measures of one head on the photos with a truth for it.
    package struct Head: Sendable, Equatable, Codable {
        package let name: String
        package let measures: HeadMeasures
    }

    /// How well the model recognises what it does not know.
    package struct Abstention: Sendable, Equatable, Codable {
        /// For known breeds against everything else. Nil if the model or the photos have only one kind.
        package let auroc: Double?
        /// The number of photos measured for ``auroc``.
        package let photos: Int
        /// The number of photos whose answering head has a truth.
        package let judged: Int
        /// The number of judged photos on which the model abstained.
        package let abstained: Int
        /// The number of the other judged photos with a right answer.
        package let answeredRight: Int
    }

    /// Mean times for a photo, in milliseconds.
    package struct Timing: Sendable, Equatable, Codable {
        package let decodeMilliseconds: Double
        package let inferenceMilliseconds: Double
        /// The duration of the whole evaluation divided by the number of photos. Several photos were in work at once.
        package let wallMilliseconds: Double
        /// The duration of the whole evaluation.
        package let seconds: Double

        private enum CodingKeys: String, CodingKey {
            case seconds
            case decodeMilliseconds = "decode_ms"
            case inferenceMilliseconds = "inference_ms"
            case wallMilliseconds = "wall_ms"
        }
    }

    package let model: String
    package let version: String
    /// The number of photos in the list.
    package let photos: Int
    package let failures: [Failure]
    /// In the order of answers. Heads without a photo that they should know are left out.
    package let heads: [Head]
    package let abstention: Abstention
    package let timing: Timing
}

extension EvaluationReport {
    /// A page with a table of the heads and the most frequent mistakes.
    package var markdown: String {
        var lines = [
            "# Evaluation of \(model) \(version)", "",
            "\(counted(photos, "photo")), \(failures.count) of them not measured; \(Self.decimal(timing.seconds)) s.",
            "",
        ]
        lines += table + [""]
        lines += abstentionLines
        lines.append(
            "- A photo took \(Self.decimal(timing.decodeMilliseconds, 2)) ms of decoding and "
                + "\(Self.decimal(timing.inferenceMilliseconds, 2)) ms of inference; with several at a time one was done "
                + "every \(Self.decimal(timing.wallMilliseconds, 2)) ms.")
        for head in heads where !head.measures.mostConfused.isEmpty {
            let pairs = head.measures.mostConfused.map { "\($0.label) → \($0.answer) (\($0.photos))" }
            lines += ["", "Most confused, \(head.name): \(pairs.joined(separator: ", "))."]
        }
        if !failures.isEmpty {
            lines += ["", "Not measured:", ""] + failures.prefix(20).map { "- \($0.path): \($0.reason)" }
            if failures.count > 20 { lines.append("- and \(failures.count - 20) more") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One row for each head. Means are over the classes that have photos.
    private var table: [String] {
        let header = [
            "| head | photos | classes | top-1 | ± | top-3 | macro F1 | precision | recall | ROC-AUC | ECE |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        return header
            + heads.map { head in
                let measures = head.measures
                let shares = [
                    measures.top1, measures.top1Interval, measures.top3, measures.macroF1, measures.precision,
                    measures.recall, measures.rocAUC, measures.calibrationError,
                ]
                return "| \(head.name) | \(measures.photos) | \(measures.classes) | "
                    + shares.map { $0.map(Measures.percent) ?? "–" }.joined(separator: " | ") + " |"
            }
    }

    private var abstentionLines: [String] {
        var lines: [String] = []
        if let auroc = abstention.auroc {
            lines.append(
                "- Abstention, known breed against everything else: AUROC \(Measures.percent(auroc)) over "
                    + "\(counted(abstention.photos, "photo")).")
        }
        let answered = abstention.judged - abstention.abstained
        if abstention.judged > 0 {
            lines.append(
                "- Of \(counted(abstention.judged, "photo")) that the answering head should know, \(abstention.abstained) abstained "
                    + "from; of the other \(answered), "
                    + "\(Measures.percent(Double(abstention.answeredRight) / Double(max(1, answered)))) right.")
        }
        return lines
    }

    private static func decimal(_ value: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", value) }
}
