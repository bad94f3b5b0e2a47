import Base
import Foundation
import Recognition

extension TrainingReport {
    /// The report to read.
    package var markdown: String {
        var lines = ["# \(options.name)", ""]
        lines.append(
            "\(classes.count) classes, \(counted(trainingPhotos, "photo")) to learn from, \(heldOutPhotos) to measure with"
                + (method == .prototypes ? " (each left out in turn)" : "")
                + "; features of \(base), by \(method.rawValue), seed \(options.seed), views: "
                + views.map(\.rawValue).joined(separator: ", ") + ".")
        for warning in warnings { lines += ["", "**Note:** \(warning.detail)"] }
        lines += ["", "| measure | |", "|---|---|"]
        if let accuracy {
            lines.append("| accuracy | \(Measures.percent(accuracy)) ± \(Measures.percent(accuracyInterval ?? 0)) |")
        }
        if let macroF1 { lines.append("| macro F1 | \(Measures.percent(macroF1)) |") }
        if let rocAUC { lines.append("| ROC-AUC, one against the rest | \(Self.number(rocAUC)) |") }
        if let calibrationError { lines.append("| expected calibration error | \(Self.number(calibrationError)) |") }
        lines.append("| temperature | \(Self.number(temperature)) |")
        lines.append("| unsure below | \(Measures.percent(abstainBelow)) |")
        lines.append("| near-duplicates kept together | \(counted(nearDuplicates, "group")) |")
        lines += ["", "| class | photos | measured | precision | recall | F1 |", "|---|---|---|---|---|---|"]
        for item in classes {
            let label = Self.cell(item.label)
            guard let measured = measures.first(where: { $0.label == item.label }) else {
                lines.append("| \(label) | \(item.photos) | 0 | | | |")
                continue
            }
            lines.append(
                "| \(label) | \(item.photos) | \(measured.photos) | \(Measures.percent(measured.precision)) | "
                    + "\(Measures.percent(measured.recall)) | \(Measures.percent(measured.f1)) |")
        }
        if !confusions.isEmpty {
            lines += ["", "Most confused:", ""]
            for item in confusions {
                lines.append("- \(item.photos) × \(item.truth) answered as \(item.answer)")
            }
        }
        if !errors.isEmpty {
            lines += ["", "Surest mistakes:", ""]
            for item in errors {
                lines.append(
                    "- \(item.file): \(item.truth), answered \(item.answer) (\(Measures.percent(item.confidence)))")
            }
        }
        if !skipped.isEmpty {
            lines += ["", "Left out, \(counted(skipped.count, "file")):", ""]
            for file in skipped.prefix(200) { lines.append("- \(file.file): \(file.reason.why)") }
            if skipped.count > 200 { lines.append("- and \(skipped.count - 200) more, see report.json") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func number(_ value: Double) -> String { String(format: "%.3f", value) }
    private static func cell(_ text: String) -> String { text.replacing(scalar: "|", with: "\\|") }
}
