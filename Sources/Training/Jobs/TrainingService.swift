package import Base
import Foundation
package import History
package import Recognition

/// The trainings of a service: one at a time, the others wait in order. All of it survives a restart; a training that was
/// under way then begins anew, with the features that it had.
package final class TrainingService: Sendable {
    package struct Configuration: Sendable {
        /// Where jobs are kept.
        package var directory: String
        /// Where models are written to.
        package var models: String
        package var limits: TrainingLimits
        /// Trainings that may wait.
        package var queue: Int
        /// Bytes of features that are kept.
        package var cacheBytes: Int
        /// Below it lie the folders that trainings may read; nil: none.
        package var folderRoot: String?
        package var cores: Int

        package init(
            directory: String, models: String, limits: TrainingLimits = TrainingLimits(), queue: Int = 16,
            cacheBytes: Int = 512 << 20, folderRoot: String? = nil, cores: Int = 2
        ) {
            self.directory = directory
            self.models = models
            self.limits = limits
            self.queue = queue
            self.cacheBytes = cacheBytes
            self.folderRoot = folderRoot
            self.cores = cores
        }
    }

    /// Something changed that a watcher wants to know.
    package enum Event: Sendable {
        case changed(TrainingRecord)
        case iteration(TrainingRecord, TrainingIteration)
    }

    private struct State {
        var records: [ULID: TrainingRecord] = [:]
        var running: (id: ULID, task: Task<Void, Never>)?
        var isStopped = false
        var observer: (@Sendable (Event) -> Void)?
    }

    package let configuration: Configuration
    package let folder: TrainedModelFolder
    let recogniser: Recogniser
    private let history: HistoryStore
    private let state = Locked(State())
    private let pool = BlockingPool(label: "menagerie.training", width: 2, maximumPending: 256)
    /// One deployment at a time, so that file and memory agree.
    private let turn = BlockingPool(label: "menagerie.training.deployment", width: 1, maximumPending: 256)

    /// Reads what there was before; blocks. Nothing runs before ``start()``.
    ///
    /// - Throws: `HistoryError` where the folder cannot be written.
    package init(_ configuration: Configuration, recogniser: Recogniser, history: HistoryStore) throws {
        self.configuration = configuration
        self.recogniser = recogniser
        self.history = history
        folder = TrainedModelFolder(root: configuration.models)
        folder.removeLeftovers()
        var records: [ULID: TrainingRecord] = [:]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: configuration.directory)) ?? []
        for name in names {
            guard let id = ULID(name) else { continue }
            guard let data = FileManager.default.contents(atPath: "\(configuration.directory)/\(name)/training.json"),
                var record = try? JSONDecoder().decode(TrainingRecord.self, from: data)
            else {
                // An upload that was not finished.
                TrainingUpload.remove("\(configuration.directory)/\(name)")
                continue
            }
            if !record.state.isOver { record.state = .waiting }
            records[id] = record
        }
        state.withLock { $0.records = records }
    }

    /// - Parameter observer: is told what changes.
    package func observe(_ observer: @escaping @Sendable (Event) -> Void) { state.withLock { $0.observer = observer } }

    /// Takes up the trainings that wait.
    package func start() { runNext() }

    /// Ends what runs; it goes on after the next start.
    package func stop() async {
        let task = state.withLock { state in
            state.isStopped = true
            return state.running?.task
        }
        task?.cancel()
        await task?.value
    }

    // MARK: Asking for one

    /// - Throws: ``TrainingError/invalidName(_:)``, ``TrainingError/takenName(_:)``, ``TrainingError/queueFull(_:)``.
    package func check(_ options: TrainingOptions) throws(TrainingError) {
        guard ModelReference.isName(options.name) else { throw .invalidName(options.name) }
        let versions = recogniser.models.store.versions(of: options.name)
        guard options.name != recogniser.defaultModel, versions.isEmpty || folder.owns(options.name) else {
            throw .takenName(options.name)
        }
        let waiting = state.withLock { state in state.records.values.count { $0.state == .waiting } }
        guard waiting < configuration.queue else { throw .queueFull(waiting) }
    }

    /// Room for photos that come.
    ///
    /// - Parameter kind: of the archive.
    package func newUpload(_ kind: ArchivePhotos.Kind) async throws -> TrainingUpload {
        let directory = configuration.directory
        return try await blocking { try TrainingUpload(id: .next(), in: directory, file: "photos.\(kind.rawValue)") }
    }

    /// Takes a training in, whose photos are in an upload.
    package func submit(_ upload: TrainingUpload, kind: ArchivePhotos.Kind, _ options: TrainingOptions) async throws
        -> TrainingRecord
    {
        try await upload.finish()
        let photos = try await ArchivePhotos(try upload.archive(), kind: kind, limits: configuration.limits)
        try await photos.catalogue(configuration.limits).check()
        let record = try await add(TrainingRecord(id: upload.id, options: options, source: .archive(kind)))
        upload.keep()
        return record
    }

    /// Takes a training in, whose photos are here already.
    package func submit(_ source: TrainingRecord.Source, _ options: TrainingOptions) async throws -> TrainingRecord {
        let record = TrainingRecord(id: .next(), options: options, source: source)
        try await photos(of: record).catalogue(configuration.limits).check()
        return try await add(record)
    }

    /// A folder below the configured root.
    ///
    /// - Throws: ``TrainingError/folder(_:)``.
    package func allowedFolder(_ path: String) throws(TrainingError) -> String {
        guard let root = configuration.folderRoot else {
            throw .folder("No folder of this machine may be read; the operator names one with training.folder_root.")
        }
        let allowed = URL(filePath: root).resolvingSymlinksInPath().standardizedFileURL.path
        let wanted = URL(filePath: path.hasPrefix("/") ? path : "\(root)/\(path)").resolvingSymlinksInPath()
            .standardizedFileURL.path
        guard wanted == allowed || wanted.hasPrefix(allowed + "/") else {
            throw .folder("The folder “\(path.prefix(200))” does not lie below \(root).")
        }
        return wanted
    }

    private func add(_ record: TrainingRecord) async throws -> TrainingRecord {
        try await save(record)
        state.withLock { $0.records[record.id] = record }
        tell(.changed(record))
        runNext()
        return record
    }

    // MARK: Looking

    /// Newest first.
    package var records: [TrainingRecord] { state.withLock { $0.records.values.sorted { $0.id > $1.id } } }

    /// - Throws: ``TrainingError/unknown(_:)``.
    package func record(_ id: ULID) throws(TrainingError) -> TrainingRecord {
        guard let record = state.withLock({ $0.records[id] }) else { throw .unknown("\(id)") }
        return record
    }

    /// Whether a training's version answers for its model's name.
    package func isDeployed(_ record: TrainingRecord) -> Bool {
        guard let result = record.result else { return false }
        return recogniser.models.store.deployment(of: result.model)?.version == result.version
    }

    /// A file beside a training's model, such as `report.json`; nil where there is none.
    package func file(_ name: String, of record: TrainingRecord) async throws -> [UInt8]? {
        guard let result = record.result else { return nil }
        let path = "\(folder.folder(result.model, result.version))/\(name)"
        return try await blocking { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }
    }

    // MARK: Ending

    /// Cancels a training, or removes one that is over, with its model.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` for one whose model answers.
    package func delete(_ id: ULID) async throws {
        let record = try record(id)
        guard record.state.isOver else {
            try await cancel(id)
            return
        }
        guard !isDeployed(record) else {
            throw TrainingError.conflict(
                "\(record.options.name)@\(record.result?.version ?? "") answers for its name; "
                    + "DELETE /training/\(id)/deployment first rolls back.")
        }
        if let result = record.result {
            var deployment = recogniser.models.store.deployment(of: result.model) ?? ModelDeployment()
            deployment.forget(result.version)
            let changed = deployment
            try await turn.run(whenFull: { TrainingError.queueFull($0) as any Error }) { [folder] in
                try folder.write(changed, of: result.model)
                try folder.remove(result.model, result.version)
            }
            try? recogniser.models.unload(ModelReference(name: result.model, version: result.version))
        }
        state.withLock { $0.records[id] = nil }
        let path = "\(configuration.directory)/\(id)"
        try await blocking { TrainingUpload.remove(path) }
    }

    private func cancel(_ id: ULID) async throws {
        let running = state.withLock { state -> Task<Void, Never>? in
            guard state.running?.id != id else { return state.running?.task }
            state.records[id]?.state = .cancelled
            state.records[id]?.endedAt = Date()
            return nil
        }
        if let running {
            running.cancel()
            await running.value
        } else {
            let record = try record(id)
            try await save(record)
            tell(.changed(record))
        }
    }

    // MARK: Deployment

    /// Has a training's model answer for its name, from the next request on; those under way end with the version that
    /// they began with.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` for a training without a model; `RecognitionError`.
    package func deploy(_ id: ULID) async throws -> TrainingRecord {
        let record = try record(id)
        guard let result = record.result else {
            throw TrainingError.conflict(
                record.state.isOver
                    ? "The training \(record.state.rawValue == "failed" ? "failed" : "was cancelled"): it has no model."
                    : "The training is not done yet.")
        }
        try await recogniser.models.load(ModelReference(name: result.model, version: result.version))
        try await change(result.model) { $0.deploy(result.version) }
        tell(.changed(record))
        return record
    }

    /// Has the version answer that did before; none where there was none.
    ///
    /// - Throws: ``TrainingError/conflict(_:)`` for a training whose model does not answer.
    package func rollBack(_ id: ULID) async throws -> TrainingRecord {
        let record = try record(id)
        guard let result = record.result, isDeployed(record) else {
            throw TrainingError.conflict(
                "The model of this training does not answer for its name, so there is nothing to roll back.")
        }
        var deployment = recogniser.models.store.deployment(of: result.model) ?? ModelDeployment()
        deployment.rollBack()
        if let version = deployment.version {
            try await recogniser.models.load(ModelReference(name: result.model, version: version))
        }
        try await change(result.model) { $0.rollBack() }
        if deployment.version == nil { try recogniser.models.withdraw(result.model) }
        tell(.changed(record))
        return record
    }

    private func change(_ model: String, _ change: @escaping @Sendable (inout ModelDeployment) -> Void) async throws {
        let store = recogniser.models.store
        try await turn.run(whenFull: { TrainingError.queueFull($0) as any Error }) { [folder] in
            var deployment = store.deployment(of: model) ?? ModelDeployment()
            change(&deployment)
            try folder.write(deployment, of: model)
        }
    }

    // MARK: Running

    private func runNext() {
        state.withLock { state in
            guard !state.isStopped, state.running == nil else { return }
            let waiting = state.records.values.filter { $0.state == .waiting }.min { $0.id < $1.id }
            guard let waiting else { return }
            let id = waiting.id
            state.running = (id, Task { await self.run(id) })
        }
    }

    private func run(_ id: ULID) async {
        do {
            try await train(id)
        } catch {
            await end(id, error)
        }
        if let record = try? record(id), record.state.isOver, case .archive(let kind) = record.source {
            TrainingUpload.remove("\(configuration.directory)/\(id)/photos.\(kind.rawValue)")
        }
        state.withLock { $0.running = nil }
        runNext()
    }

    private func train(_ id: ULID) async throws {
        let record = try await update(id) { record in
            record.begin()
            record.state = .looking
        }
        let cache = FeatureCache(directory: "\(configuration.directory)/features", limit: configuration.cacheBytes)
        let trainer = Trainer(
            recogniser: recogniser, cache: cache, limits: configuration.limits, cores: configuration.cores)
        let source = try await photos(of: record)
        let outcome = try await trainer.train(source, record.options) { self.note($0, of: id) }
        let name = record.options.name
        let saving = try await update(id) { [folder] record in
            record.state = .saving
            record.progress = 0.97
            record.version = record.version ?? folder.nextVersion(of: name)
        }
        let version = saving.version ?? "1"
        let store = recogniser.models.store
        let sha256 = try await blocking { [folder] in
            try folder.place(outcome, training: id, name: name, version: version, store: store)
            let weights = FileManager.default.contents(atPath: "\(folder.folder(name, version))/\(TrainedModel.file)")
            cache.trim()
            return ContentDigest(of: [UInt8](weights ?? Data())).hexadecimal
        }
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

    /// What ended a training that is not done. One that the service's own end interrupted waits for the next start.
    private func end(_ id: ULID, _ error: any Error) async {
        let isStopped = state.withLock { $0.isStopped }
        guard !(isStopped && error is CancellationError) else { return }
        _ = try? await update(id) { record in
            record.state = error is CancellationError ? .cancelled : .failed
            record.problem = error is CancellationError ? nil : Self.explanation(of: error)
            record.endedAt = Date()
        }
        // On a disk that is full the state is kept in memory at least.
        state.withLock { state in
            guard state.records[id]?.state.isOver == false else { return }
            state.records[id]?.state = .failed
            state.records[id]?.problem = Self.explanation(of: error)
        }
    }

    private static func explanation(of error: any Error) -> String {
        switch error {
        case let error as HistoryError: error.description
        case let error as TrainingError: error.description
        case let error as RecognitionError: error.description
        default: "\(error)"
        }
    }

    private func photos(of record: TrainingRecord) async throws -> any PhotoSource {
        let limits = configuration.limits
        switch record.source {
        case .archive(let kind):
            let path = "\(configuration.directory)/\(record.id)/photos.\(kind.rawValue)"
            return try await ArchivePhotos(ArchiveFile(path), kind: kind, limits: limits)
        case .corrections: return try await CorrectedPhotos(history, limits: limits)
        case .folder(let path): return try await blocking { try FolderPhotos(path, limits: limits) }
        }
    }

    /// What a trainer tells changes the record in memory; only changes of state are written down.
    private func note(_ progress: Trainer.Progress, of id: ULID) {
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
                if Int(record.progress * 100) != Int(before * 100) { event = .changed(record) }
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

    @discardableResult
    private func update(_ id: ULID, _ change: (inout TrainingRecord) -> Void) async throws -> TrainingRecord {
        var record = try record(id)
        change(&record)
        try await save(record)
        let saved = record
        state.withLock { $0.records[id] = saved }
        tell(.changed(saved))
        return saved
    }

    private func save(_ record: TrainingRecord) async throws {
        let path = "\(configuration.directory)/\(record.id)/training.json"
        let bytes = [UInt8](try JSONEncoder().encode(record))
        try await blocking { try DurableFile.replace(path, with: bytes) }
    }

    private func tell(_ event: Event) {
        let observer = state.withLock { $0.observer }
        observer?(event)
    }

    private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await pool.run(whenFull: { TrainingError.queueFull($0) as any Error }, body)
    }
}
