import Training

/// An evaluation in the HTTP interface.
struct EvaluationRepresentation: Encodable {
    struct Progress: Encodable, Sendable {
        let photos: Int
        let total: Int
    }

    struct Class: Encodable {
        let label: String
        let photos: Int
    }

    struct Confusion: Encodable {
        let truth: String
        let answer: String
        let photos: Int
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
        let confusions: [Confusion]

        enum CodingKeys: String, CodingKey {
            case model, version, head, right, accuracy, abstained, confusions
            case accuracyInterval = "accuracy_interval"
            case macroF1 = "macro_f1"
            case unknownClasses = "unknown_classes"
        }
    }

    struct Difference: Encodable {
        struct Interval: Encodable {
            let lower: Double
            let upper: Double
        }

        struct Photo: Encodable {
            let file: String
            let truth: String
            let model: String
            let against: String
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
        let photos: [Photo]
    }

    let photos: Int
    let classes: [Class]
    /// The first skipped files.
    let skipped: [SkippedFile]
    let skippedCount: Int
    let models: [Measured]
    /// The comparison; null if only one model was measured.
    let comparison: Nullable<Difference>

    init(_ evaluation: ModelEvaluation) {
        photos = evaluation.photos
        classes = evaluation.classes.map { Class(label: $0.label, photos: $0.photos) }
        skipped = Array(evaluation.skipped.prefix(TrainingRecord.maximumSkipped))
        skippedCount = evaluation.skipped.count
        models = evaluation.models.map { model in
            Measured(
                model: model.model, version: model.version, head: model.head, right: model.right,
                accuracy: Self.rounded(model.accuracy), accuracyInterval: Self.rounded(model.accuracyInterval),
                macroF1: Self.rounded(model.macroF1), abstained: model.abstained, unknownClasses: model.unknownClasses,
                confusions: model.confusions.map { Confusion(truth: $0.truth, answer: $0.answer, photos: $0.photos) })
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
                    photos: difference.photos.map {
                        .init(file: $0.file, truth: $0.truth, model: $0.model, against: $0.against)
                    })
            })
    }

    private static func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
}
