import Base
import Foundation
import Recognition
import Training

/// A training in the HTTP interface.
struct TrainingRepresentation: Encodable {
    struct Options: Encodable {
        let base: String?
        let validation: Double
        let iterations: Int
        let augment: [String]?
        let seed: UInt64
        let deploy: Bool
        let method: String
        let regularisation: Double
        let balance: Bool
    }

    struct Iteration: Encodable {
        let iteration: Int
        let loss: Double
        let trainingAccuracy: Double
        let validationAccuracy: Double?

        init(_ iteration: TrainingIteration) {
            self.iteration = iteration.iteration
            loss = iteration.loss.rounded6
            trainingAccuracy = iteration.trainingAccuracy.rounded6
            validationAccuracy = iteration.validationAccuracy?.rounded6
        }
    }

    struct Mistake: Encodable {
        let file: String
        let truth: String
        let answer: String
        let confidence: Double
        let photoUrl: String
    }

    /// The comparison of this version, while it runs beside the version that answers.
    struct Shadow: Encodable {
        let since: Date
        let agreed: Int
        let differed: Int
        let leftOut: Int
        let failed: Int
        /// The share of photos with the same first label from both versions; nil without photos.
        let agreement: Double?

        init(_ tally: ShadowTraffic.Tally) {
            func count(_ outcome: ShadowTraffic.Outcome) -> Int { tally.counts[outcome] ?? 0 }
            since = tally.since
            (agreed, differed) = (count(.agreed), count(.differed))
            (leftOut, failed) = (count(.leftOut), count(.failed))
            let both = agreed + differed
            agreement = both > 0 ? (Double(agreed) / Double(both)).rounded4 : nil
        }
    }

    struct Result: Encodable {
        let model: String
        let version: String
        let base: String
        let method: String
        let accuracy: Double?
        let accuracyInterval: Double?
        let macroF1: Double?
        let rocAuc: Double?
        let heldOutPhotos: Int
        let temperature: Double
        let abstainBelow: Double
        let deployed: Bool
        /// nil in lists and events.
        let attached: Bool?
        /// nil if it does not run beside another version, and in lists and events.
        let shadow: Shadow?
        let sha256: String
        let warnings: [TrainingWarning]
        let confusions: [ConfusionMatrix.Confusion]
        let errors: [Mistake]
        let confusionUrl: String
        let curveUrl: String
        let reportUrl: String
        let modelUrl: String
    }

    let id: String
    let createdAt: Date
    let startedAt: Date?
    let endedAt: Date?
    let name: String
    let source: String
    let state: String
    /// The progress, 0…1.
    let progress: Double
    let secondsLeft: Double?
    let options: Options
    let classes: [TrainingReport.Class]
    let iterations: [Iteration]
    /// The first skipped files.
    let skipped: [SkippedFile]
    let skippedCount: Int
    let problem: TrainingFailure?
    let result: Result?
    let eventsUrl: String
    let url: String

    /// - Parameter withIterations: whether to include the members that may be long.
    init(
        _ record: TrainingRecord, isDeployed: Bool, isAttached: Bool? = nil, shadow: ShadowTraffic.Tally? = nil,
        withIterations: Bool = true
    ) {
        let url = "/training/\(record.id)"
        let options = record.options
        id = "\(record.id)"
        createdAt = record.createdAt
        startedAt = record.startedAt
        endedAt = record.endedAt
        name = options.name
        source = record.source.name
        state = record.state.rawValue
        progress = record.progress.rounded3
        secondsLeft = record.secondsLeft
        self.options = Options(
            base: options.base, validation: options.validation, iterations: options.iterations,
            augment: options.augment?.map(\.rawValue), seed: options.seed, deploy: options.deploy,
            method: options.method.rawValue, regularisation: options.regularisation, balance: options.balance)
        classes = record.classes
        iterations = withIterations ? record.iterations.map(Iteration.init) : []
        skipped = withIterations ? record.skipped : []
        skippedCount = record.skippedCount
        problem = record.problem
        eventsUrl = url + "/events"
        self.url = url
        result = record.result.map {
            Result($0, url: url, isDeployed: isDeployed, isAttached: isAttached, shadow: shadow.map(Shadow.init))
        }
    }
}

extension TrainingRepresentation.Result {
    fileprivate init(
        _ result: TrainingRecord.Result, url: String, isDeployed: Bool, isAttached: Bool?,
        shadow: TrainingRepresentation.Shadow?
    ) {
        self.init(
            model: result.model, version: result.version, base: result.base, method: result.method.rawValue,
            accuracy: result.accuracy, accuracyInterval: result.accuracyInterval, macroF1: result.macroF1,
            rocAuc: result.rocAUC, heldOutPhotos: result.heldOutPhotos, temperature: result.temperature,
            abstainBelow: result.abstainBelow, deployed: isDeployed, attached: isAttached, shadow: shadow,
            sha256: result.sha256, warnings: result.warnings,
            confusions: result.confusions,
            errors: result.errors.enumerated().map { index, error in
                .init(
                    file: error.file, truth: error.truth, answer: error.answer,
                    confidence: error.confidence.rounded4, photoUrl: "\(url)/errors/\(index)")
            },
            confusionUrl: url + "/confusion", curveUrl: url + "/curve", reportUrl: url + "/report",
            modelUrl: "/models/\(result.model)?version=\(result.version)")
    }
}
