import Base
import Training

/// An evaluation in the HTTP interface.
struct EvaluationRepresentation: Encodable {
    struct Progress: Encodable, Sendable {
        let photos: Int
        let total: Int
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
    let models: [ModelEvaluation.Measured]
    /// The comparison; null if only one model was measured.
    let comparison: Nullable<Difference>

    init(_ evaluation: ModelEvaluation) {
        photos = evaluation.photos
        classes = evaluation.classes
        skipped = Array(evaluation.skipped.prefix(TrainingRecord.maximumSkipped))
        skippedCount = evaluation.skipped.count
        models = evaluation.models.map(\.rounded)
        let names = evaluation.models.map { "\($0.model)@\($0.version)" }
        comparison = Nullable(
            evaluation.difference.map { difference in
                Difference(
                    bothRight: difference.bothRight, onlyModel: difference.onlyModel,
                    onlyAgainst: difference.onlyAgainst, bothWrong: difference.bothWrong,
                    difference: difference.difference.rounded6,
                    interval: .init(lower: difference.lower.rounded6, upper: difference.upper.rounded6),
                    probability: difference.probability.rounded6, verdict: difference.verdict.rawValue,
                    message: difference.sentence(names[0], names[names.count - 1]),
                    photos: difference.photos)
            })
    }
}

extension ModelEvaluation.Measured {
    fileprivate var rounded: Self {
        var copy = self
        copy.accuracy = accuracy.rounded6
        copy.accuracyInterval = accuracyInterval.rounded6
        copy.macroF1 = macroF1.rounded6
        return copy
    }
}
