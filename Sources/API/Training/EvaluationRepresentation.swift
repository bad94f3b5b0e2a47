import Training

/// An evaluation in the HTTP interface.
struct EvaluationRepresentation: Encodable {
    struct Progress: Encodable, Sendable {
        let photos: Int
        let total: Int
    }

    struct Measured: Encodable {
        let model: String
        let version: String
        let head: String
        let right: Int
        let accuracy: Double
        let accuracyInterval: Double
        let macroF1: Double
        let abstained: Int
        let unknownClasses: [String]
        let confusions: [ConfusionMatrix.Confusion]
    }

    struct Difference: Encodable {
        struct Interval: Encodable {
            let lower: Double
            let upper: Double
        }

        let bothRight: Int
        let onlyModel: Int
        let onlyAgainst: Int
        let bothWrong: Int
        let difference: Double
        let interval: Interval
        let probability: Double
        let verdict: String
        let message: String
        let photos: [ModelEvaluation.Difference.Photo]
    }

    let photos: Int
    let classes: [TrainingReport.Class]
    /// The first skipped files.
    let skipped: [SkippedFile]
    let skippedCount: Int
    let models: [Measured]
    /// The comparison; null if only one model was measured.
    let comparison: Nullable<Difference>

    init(_ evaluation: ModelEvaluation) {
        photos = evaluation.photos
        classes = evaluation.classes
        skipped = Array(evaluation.skipped.prefix(TrainingRecord.maximumSkipped))
        skippedCount = evaluation.skipped.count
        models = evaluation.models.map { model in
            Measured(
                model: model.model, version: model.version, head: model.head, right: model.right,
                accuracy: Self.rounded(model.accuracy), accuracyInterval: Self.rounded(model.accuracyInterval),
                macroF1: Self.rounded(model.macroF1), abstained: model.abstained, unknownClasses: model.unknownClasses,
                confusions: model.confusions)
        }
        let names = evaluation.models.map { "\($0.model)@\($0.version)" }
        comparison = Nullable(
            evaluation.difference.map { difference in
                Difference(
                    bothRight: difference.bothRight, onlyModel: difference.onlyModel,
                    onlyAgainst: difference.onlyAgainst, bothWrong: difference.bothWrong,
                    difference: Self.rounded(difference.difference),
                    interval: .init(lower: Self.rounded(difference.lower), upper: Self.rounded(difference.upper)),
                    probability: Self.rounded(difference.probability), verdict: difference.verdict.rawValue,
                    message: difference.sentence(names[0], names[names.count - 1]),
                    photos: difference.photos)
            })
    }

    private static func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
}
