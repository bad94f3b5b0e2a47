package import Base
import Foundation
package import History
import Logging
package import Recognition

/// The trainings of a service: one at a time, the others wait in order. All of it survives a restart; a training that was
/// under way then begins anew, with the features that it had.
package final class TrainingService: Sendable {
    /// Folders and limits of trainings.
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
        /// One more photo was looked at.
        case looked
        /// It is over; told once.
        case ended(TrainingRecord)
    }

    struct State {
        var records: [ULID: TrainingRecord] = [:]
        var running: (id: ULID, task: Task<Void, Never>)?
        /// Looks for what other replicas do.
        var upkeep: Task<Void, Never>?
        /// Trainings that another replica has, or that this one cannot do; asked again when it is looked for news.
        var elsewhere: Set<ULID> = []
        /// Trainings whose claim another replica has, as this one was not there for too long.
        var lost: Set<ULID> = []
        var isStopped = false
        var observers: [@Sendable (Event) -> Void] = []
    }

    package let configuration: Configuration
    package let folder: TrainedModelFolder
    /// Heads that answer beside their base.
    package let attached: AttachedHeads
    /// Versions that answer beside the one that answers for their name.
    package let shadow: ShadowTraffic
    /// Who is who.
    package let individuals: IndividualService
    let recogniser: Recogniser
    let history: HistoryStore
    let state = Locked(State())
    /// Features of photos that were looked at before.
    let cache: FeatureCache
    let pool = BlockingPool(label: "menagerie.training", width: 2, maximumPending: 256)
    /// What replicas share of the models; nil where nobody shares the history.
    let models: SharedModels?
    /// How the names of models are answered for here, as far as other replicas were heard of that.
    let followed: Locked<[String: SharedModels.Setting]>
    /// One look for news at a time.
    let adopting = AsyncTurns(width: 1, maximumWaiting: .max)
    /// One deployment at a time, so that file and memory agree.
    let turn = BlockingPool(label: "menagerie.training.deployment", width: 1, maximumPending: 256)

    /// Reads what there was before; blocks. Nothing runs before ``start()``.
    ///
    /// - Throws: `FileError` where the folder cannot be written.
    package init(_ configuration: Configuration, recogniser: Recogniser, history: HistoryStore) throws {
        self.configuration = configuration
        self.recogniser = recogniser
        self.history = history
        folder = TrainedModelFolder(root: configuration.models)
        folder.removeLeftovers()
        attached = AttachedHeads(folder)
        models = history.files.map { [folder] in SharedModels(folder: folder, files: $0) }
        followed = Locked(
            folder.trainedVersions.reduce(into: [:]) { [folder] settings, trained in
                settings[trained.name] = SharedModels.Setting(
                    deployment: folder.deployment(of: trained.name), isAttached: folder.isAttached(trained.name))
            })
        shadow = ShadowTraffic(folder, recogniser: recogniser)
        cache = FeatureCache(directory: "\(configuration.directory)/features", limit: configuration.cacheBytes)
        individuals = IndividualService(
            recogniser: recogniser, history: history, cache: cache, limits: configuration.limits,
            cores: configuration.cores)
        var records: [ULID: TrainingRecord] = [:]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: configuration.directory)) ?? []
        for name in names {
            guard let id = ULID(name) else { continue }
            let path = "\(configuration.directory)/\(name)/training.json"
            guard let data = FileManager.default.contents(atPath: path) else {
                // An upload that was not finished.
                TrainingUpload.remove("\(configuration.directory)/\(name)")
                continue
            }
            guard var record = TrainingRecord(json: data) else {
                // Its photos may be somebody's only copy.
                Self.logger.error("A training cannot be read and is left alone", metadata: ["file": "\(path)"])
                continue
            }
            if !record.state.isOver {
                record.state = .waiting
            } else if case .archive(let kind) = record.source {
                // The process ended before its photos were removed.
                TrainingUpload.remove("\(configuration.directory)/\(name)/photos.\(kind.rawValue)")
            }
            records[id] = record
        }
        state.withLock { $0.records = records }
    }

    /// - Parameter observer: is told what changes.
    package func observe(_ observer: @escaping @Sendable (Event) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// Takes up the trainings that wait.
    package func start() {
        if models == nil {
            runNext()
        } else {
            state.withLock { $0.upkeep = Task { await self.keepUp() } }
        }
        individuals.refresh()
        history.observeChanges { [weak self, individuals] change in
            switch change {
            case .individuals: individuals.refresh()
            case .progress: Task { await self?.adoptProgress() }
            case .trainings:
                Task {
                    await self?.adopt()
                    self?.runNext()
                }
            }
        }
    }

    /// Ends what runs; it goes on after the next start.
    package func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return [state.upkeep, state.running?.task].compactMap(\.self)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await shadow.stop()
        await individuals.stop()
    }

    // MARK: Looking

    /// Newest first.
    package var records: [TrainingRecord] { state.withLock { $0.records.values.sorted { $0.id > $1.id } } }

    /// Trainings that wait, and that are under way.
    package var counts: (waiting: Int, running: Int) {
        state.withLock { state in
            let open = state.records.values.filter { !$0.state.isOver }
            let waiting = open.count { $0.state == .waiting }
            return (waiting, open.count - waiting)
        }
    }

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

    /// What a training's version does beside the one that answers for its name; nil where it does nothing.
    package func shadowTally(_ record: TrainingRecord) -> ShadowTraffic.Tally? {
        record.result.flatMap { shadow.tally(of: $0.model, version: $0.version) }
    }

    /// A file beside a training's model, such as `report.json`; nil where there is none.
    package func file(_ name: String, of record: TrainingRecord) async throws -> [UInt8]? {
        guard let result = record.result else { return nil }
        let path = "\(folder.folder(result.model, result.version))/\(name)"
        return try await blocking { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }
    }

    // MARK: Records

    @discardableResult
    func update(_ id: ULID, _ change: (inout TrainingRecord) -> Void) async throws -> TrainingRecord {
        var record = try record(id)
        change(&record)
        try await save(record)
        let saved = record
        state.withLock { $0.records[id] = saved }
        tell(.changed(saved))
        return saved
    }

    func save(_ record: TrainingRecord) async throws {
        let path = "\(configuration.directory)/\(record.id)/training.json"
        let bytes = [UInt8](try JSONEncoder().encode(record))
        try await blocking { try DurableFile.replace(path, with: bytes) }
        guard models != nil else { return }
        if !isRunning(record.id) {
            try await history.scans.saveJob(try record.row())
        } else {
            // At another replica it may have been cancelled, or removed.
            let cancelled = TrainingRecord.State.cancelled
            guard
                try await history.scans.updateJob(try record.row(), unless: [cancelled.rawValue])
                    || record.state == cancelled
            else { throw CancellationError() }
        }
        await history.tell(.trainings)
    }

    func tell(_ event: Event) {
        for observer in state.withLock({ $0.observers }) { observer(event) }
    }

    func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await pool.run(whenFull: { TrainingError.queueFull($0) as any Error }, body)
    }
}
