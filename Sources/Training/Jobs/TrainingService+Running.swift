import Base
import Foundation
import History
import Recognition

/// One training after the other.
extension TrainingService {
    func runNext() {
        state.withLock { state in
            guard !state.isStopped, state.running == nil else { return }
            // Whether one that is under way is another replica's, its claim tells.
            let isCandidate = { [models] (record: TrainingRecord) in
                models == nil ? record.state == .waiting : !record.state.isOver && !state.elsewhere.contains(record.id)
            }
            let next = state.records.values.filter(isCandidate).sorted { $0.id < $1.id }.first(where: hasPhotos)
            guard let id = next?.id else { return }
            state.running = (id, Task { await self.run(id) })
        }
    }

    func run(_ id: ULID) async {
        guard await begins(id) else {
            state.withLock { state in
                state.elsewhere.insert(id)
                state.running = nil
            }
            runNext()
            return
        }
        let claim = Task { await holdClaim(id) }
        do {
            try await train(id)
        } catch {
            await end(id, error)
        }
        claim.cancel()
        await claim.value
        try? await history.claims?.release(id)
        if let record = try? record(id), record.state.isOver {
            await removePhotos(of: record)
            tell(.ended(record))
        }
        // Nobody waits for this.
        try? await blocking { [cache] in cache.trim() }
        state.withLock { state in
            state.running = nil
            if state.lost.remove(id) != nil { state.elsewhere.insert(id) }
        }
        runNext()
    }

    func train(_ id: ULID) async throws {
        let record = try await update(id) { record in
            record.begin()
            record.state = .looking
        }
        try await bringPhotos(of: record)
        let trainer = Trainer(
            recogniser: recogniser, cache: cache, limits: configuration.limits, cores: configuration.cores)
        let source = try await photos(of: record.source, id)
        let outcome = try await meanwhile({ await self.tellReplicas(of: id) }) {
            try await trainer.train(source, record.options) { self.note($0, of: id) }
        }
        let name = record.options.name
        let free = try await models?.newVersion(of: name, training: id) ?? folder.nextVersion(of: name)
        let saving = try await update(id) { record in
            record.state = .saving
            record.progress = 0.97
            record.version = record.version ?? free
        }
        let version = saving.version ?? "1"
        let store = recogniser.models.store
        let sha256 = try await blocking { [folder] in
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

    /// What ended a training that is not done. One that the service's own end interrupted waits for the next start, or for
    /// another replica.
    func end(_ id: ULID, _ error: any Error) async {
        let goesOn = state.withLock { $0.isStopped || $0.lost.contains(id) }
        guard !(goesOn && error is CancellationError) else { return }
        _ = try? await update(id) { record in
            record.state = error is CancellationError ? .cancelled : .failed
            record.problem = error is CancellationError ? nil : TrainingFailure(error)
            record.endedAt = Date()
        }
        // On a disk that is full the state is kept in memory at least.
        state.withLock { state in
            guard state.records[id]?.state.isOver == false else { return }
            state.records[id]?.state = .failed
            state.records[id]?.problem = TrainingFailure(error)
        }
    }

    /// - Parameter id: of the training whose folder has the archive.
    func photos(of source: TrainingRecord.Source, _ id: ULID) async throws -> any PhotoSource {
        let limits = configuration.limits
        switch source {
        case .archive(let kind):
            return try await ArchivePhotos(ArchiveFile(archive(id, kind)), kind: kind, limits: limits)
        case .corrections: return try await HistoryPhotos(history, .corrections, limits: limits)
        case .individuals: return try await HistoryPhotos(history, .individuals, limits: limits)
        case .folder(let path): return try await blocking { try FolderPhotos(path, limits: limits) }
        }
    }

    /// What a trainer tells changes the record in memory; only changes of state are written down here.
    func note(_ progress: Trainer.Progress, of id: ULID) {
        if case .looked = progress { tell(.looked) }
        let event = state.withLock { state -> Event? in
            guard var record = state.records[id] else { return nil }
            var event: Event?
            switch progress {
            case .listed(let classes, let skipped):
                record.classes = classes
                record.take(skipped)
                event = .changed(record)
            case .looked(let done, let total):
                let before = record.progress
                record.progress = 0.8 * Double(done) / Double(max(1, total))
                // A hundred events at most.
                if Int(clamping: record.progress * 100) != Int(clamping: before * 100) { event = .changed(record) }
            case .fitting(let classes, let skipped):
                record.state = .fitting
                record.progress = 0.8
                record.classes = classes
                record.take(skipped)
                event = .changed(record)
            case .iteration(let iteration):
                record.iterations.append(iteration)
                record.progress = 0.8 + 0.15 * min(1, Double(iteration.iteration) / Double(record.options.iterations))
                event = .iteration(record, iteration)
            }
            state.records[id] = record
            return event
        }
        if let event { tell(event) }
    }
}
