package import Base
package import Foundation
import Recognition
package import Storage

/// The state and the result of a training. It is shown to clients, and its row survives a restart.
package struct TrainingRecord: JobRecord {
    package enum State: String, Codable, JobState {
        case waiting
        /// The features of the photos are computed.
        case looking
        case fitting
        /// The model is being written.
        case saving
        case done, failed, cancelled
    }

    /// The place of the photos.
    package enum Source: Codable, Sendable, Equatable {
        /// An archive in the job's folder.
        case archive(PhotoSource.Archive)
        case corrections
        /// Scans whose animal has a name; each name is a class.
        case individuals
        case folder(String)

        package var name: String {
            switch self {
            case .archive(let kind): kind.rawValue
            case .corrections: "corrections"
            case .individuals: "individuals"
            case .folder: "folder"
            }
        }
    }

    /// The trained model, and how it did on photos that it had not learnt from.
    package struct Result: Codable, Sendable {
        package let model: String
        package let version: String
        package let base: String
        package let method: TrainingOptions.Method
        package let accuracy: Double?
        package let accuracyInterval: Double?
        package let macroF1: Double?
        package let rocAUC: Double?
        package let heldOutPhotos: Int
        package let temperature: Double
        package let abstainBelow: Double
        package let confusions: [ConfusionMatrix.Confusion]
        package let errors: [TrainingReport.Mistake]
        package let warnings: [TrainingWarning]
        package let sha256: String
    }

    package static let kind = "training"
    /// The largest number of skipped files in the record. The report lists all of them.
    package static let maximumSkipped = 1_000

    package let id: ULID
    package let createdAt: Date
    package let options: TrainingOptions
    package let source: Source
    package var state = State.waiting
    package internal(set) var startedAt: Date?
    package internal(set) var endedAt: Date?
    /// 0…1.
    package internal(set) var progress = 0.0
    package internal(set) var classes: [TrainingReport.Class] = []
    package internal(set) var iterations: [TrainingIteration] = []
    package internal(set) var skipped: [SkippedFile] = []
    package internal(set) var skippedCount = 0
    package internal(set) var problem: TrainingFailure?
    /// The version of the model, once it is being written.
    package internal(set) var version: String?
    package internal(set) var result: Result?
    /// The folder that has the photos. Nil if the history is not shared.
    var keeper: ULID?

    package var progressMark: Double { progress }

    init(id: ULID, options: TrainingOptions, source: Source, keeper: ULID?) {
        self.id = id
        createdAt = id.date
        self.options = options
        self.source = source
        self.keeper = keeper
    }

    /// The estimated seconds until the end. Nil if the progress is too small for an estimate, or the clock was set back.
    package var secondsLeft: Double? {
        guard let startedAt, !state.isOver, progress > 0.02 else { return nil }
        let elapsed = Date().timeIntervalSince(startedAt)
        return elapsed < 0 ? nil : (elapsed / progress * (1 - progress)).rounded(.up)
    }

    /// - Throws: `HistoryError.invalid` if a value is impossible, as in the row of a faulty process or in a damaged
    ///   file.
    package func validate() throws(HistoryError) {
        try RowRules.share(progress, "progress")
        for time in [createdAt, startedAt, endedAt] { if let time { try RowRules.time(time, "times") } }
        for iteration in iterations {
            try RowRules.share(iteration.trainingAccuracy, "iterations")
            if let accuracy = iteration.validationAccuracy { try RowRules.share(accuracy, "iterations") }
        }
        try RowRules.count(skippedCount, atMost: 1 << 53, "skippedCount")
    }

    mutating func take(_ skipped: [SkippedFile]) {
        self.skipped = Array(skipped.prefix(Self.maximumSkipped))
        skippedCount = skipped.count
    }

    /// Begins anew after a restart.
    mutating func begin() {
        progress = 0
        iterations = []
        problem = nil
        startedAt = Date()
    }
}
