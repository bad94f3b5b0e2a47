package import Base
import Foundation
import Logging
import Recognition
package import Storage

extension TrainingService {
    package var notice: HistoryChange? { .trainings }

    /// Whether this process can run the training. A training whose photos are gone fails at its turn, unless another
    /// process has them.
    package func canRun(_ record: TrainingRecord) async throws -> Bool {
        guard history.claims != nil, record.keeper != history.folder else { return true }
        switch record.source {
        case .corrections, .individuals: return true
        case .archive: return try await files.holds(Self.photos, of: record.id)
        case .folder: return false
        }
    }

    package func run(_ record: TrainingRecord) async throws {
        let id = record.id
        let record = try await update(id) { record in
            record.begin()
            record.state = .looking
        }
        try await bringPhotos(of: record)
        let trainer = Trainer(recogniser: recogniser, cache: cache, cores: configuration.cores)
        let source = try await photos(of: record.source, id)
        let outcome = try await trainer.train(source, record.options) { self.note($0, of: id) }
        let name = record.options.name
        let free = try await models?.newVersion(of: name, training: id) ?? folder.nextVersion(of: name)
        let saving = try await update(id) { record in
            record.state = .saving
            record.progress = 0.97
            record.version = record.version ?? free
        }
        let version = saving.version ?? "1"
        let store = recogniser.models.store
        // Nobody changes the deployment meanwhile, or removes the model's folder with its last version.
        let sha256 = try await turn.run { [folder] in
            try folder.place(outcome, training: id, name: name, version: version, store: store)
            let weights = FileManager.default.contents(atPath: "\(folder.folder(name, version))/\(TrainedModel.file)")
            return ContentDigest(of: [UInt8](weights ?? Data())).hexadecimal
        }
        try await models?.publish(name, version)
        let report = outcome.report
        try await update(id) { record in
            record.result = TrainingRecord.Result(
                model: name, version: version, base: report.base, method: report.method, accuracy: report.accuracy,
                accuracyInterval: report.accuracyInterval, macroF1: report.macroF1, rocAUC: report.rocAUC,
                heldOutPhotos: report.heldOutPhotos, temperature: report.temperature,
                abstainBelow: report.abstainBelow, confusions: report.confusions, errors: report.errors,
                warnings: report.warnings, sha256: sha256)
        }
        if record.options.deploy { _ = try await deploy(id) }
        try await update(id) { record in
            record.state = .done
            record.progress = 1
            record.endedAt = Date()
        }
    }

    package func end(_ record: inout TrainingRecord, _ error: any Error) {
        let isCancelled = error is CancellationError
        record.state = isCancelled ? .cancelled : .failed
        record.problem = isCancelled ? nil : TrainingFailure(error)
        record.endedAt = Date()
    }

    package func ended(_ record: TrainingRecord) async {
        await removePhotos(of: record.id)
    }

    package func removed(_ id: ULID, _ record: TrainingRecord?, wasHere: Bool) async {
        if var record, !record.state.isOver {
            end(&record, CancellationError())
            notify(.changed(record))
            notify(.ended(record))
        }
        await removePhotos(of: id)
    }

    package func changed(_ record: TrainingRecord, from earlier: TrainingRecord?) {
        guard let earlier else {
            // The events of a finished training are made when a client asks for them.
            if !record.state.isOver { notify(.changed(record)) }
            return
        }
        let iterations = record.iterations.dropFirst(earlier.iterations.count)
        for iteration in iterations { notify(.iteration(record, iteration)) }
        // Whole percents only, so a training has at most a hundred such events.
        let isFurther =
            iterations.isEmpty && Int(clamping: earlier.progress * 100) != Int(clamping: record.progress * 100)
        guard
            isFurther || earlier.state != record.state || earlier.result?.version != record.result?.version
                || earlier.classes.count != record.classes.count || earlier.skippedCount != record.skippedCount
        else { return }
        notify(.changed(record))
        if record.state.isOver, !earlier.state.isOver { notify(.ended(record)) }
    }

    /// - Parameter id: the training whose folder has the archive.
    func photos(of source: TrainingRecord.Source, _ id: ULID) async throws -> PhotoSource {
        let limits = configuration.limits
        switch source {
        case .archive(let kind):
            return try await PhotoSource(ArchiveFile(archive(id, kind)), kind, limits: limits)
        case .corrections: return try await PhotoSource(history, .corrections, limits: limits)
        case .individuals: return try await PhotoSource(history, .individuals, limits: limits)
        case .folder(let path): return try await pool.run { try PhotoSource(folder: path, limits: limits) }
        }
    }

    private func note(_ progress: Trainer.Progress, of id: ULID) {
        if case .looked = progress { notify(.looked) }
        note(id) { record in
            switch progress {
            case .listed(let classes, let skipped):
                record.classes = classes
                record.take(skipped)
            case .looked(let done, let total): record.progress = 0.8 * Double(done) / Double(max(1, total))
            case .fitting(let classes, let skipped):
                record.state = .fitting
                record.progress = 0.8
                record.classes = classes
                record.take(skipped)
            case .iteration(let iteration):
                record.iterations.append(iteration)
                record.progress = 0.8 + 0.15 * min(1, Double(iteration.iteration) / Double(record.options.iterations))
            }
        }
    }
}
