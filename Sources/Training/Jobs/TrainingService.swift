package import Base
import Foundation
package import Logging
package import Recognition
package import Storage

/// Runs trainings one at a time. The others wait in order. All of them survive a restart. A training that was
/// interrupted begins anew, but keeps the features that it had computed.
package final class TrainingService: JobService {
    /// Folders and limits of trainings.
    package struct Configuration: Sendable {
        /// The folder in which photos wait for their training.
        package var directory: String
        /// The folder of the trained models.
        package var models: String
        package var limits = TrainingLimits()
        /// The number of trainings that may wait.
        package var queue = 16
        /// The size of the cache of features in bytes.
        package var cacheBytes = 512 << 20
        /// Trainings may read the folders below this one. Nil if they may read none.
        package var folderRoot: String?
        package var cores = 2

        /// The features of photos of earlier trainings.
        package var cache: FeatureCache { FeatureCache(directory: directory + "/features", limit: cacheBytes) }

        package init(directory: String, models: String) {
            self.directory = directory
            self.models = models
        }
    }

    package enum Event: Sendable {
        case changed(TrainingRecord)
        case iteration(TrainingRecord, TrainingIteration)
        /// The features of one more photo are known.
        case looked
        /// The training is over. This event comes once.
        case ended(TrainingRecord)
    }

    package let configuration: Configuration
    package let folder: TrainedModelFolder
    /// Heads that answer beside their base.
    package let attached: AttachedHeads
    /// Compares challengers with the deployed versions.
    package let shadow: ShadowTraffic
    /// Recognises the animals that the user has named.
    package let individuals: IndividualService
    let recogniser: Recogniser
    package let history: HistoryStore
    package let table: JobTable<TrainingRecord>
    package let files: JobFiles
    package let logger = Logger(label: "menagerie.training")
    private let observers = Locked<[@Sendable (Event) -> Void]>([])
    let cache: FeatureCache
    let pool = BlockingPool(label: "menagerie.training", width: 2, maximumPending: 256)
    /// The models that processes share. Nil if the history is not shared.
    let models: SharedModels?
    /// The deployment of each model that this process follows.
    let followed: Locked<[String: SharedModels.Setting]>
    /// Lets one task at a time adopt models of other processes or change a shared deployment.
    let adopting = AsyncTurns(width: 1, maximumWaiting: 64)
    /// Makes one change of the models' folder at a time, so that file and memory agree.
    let turn = BlockingPool(label: "menagerie.training.deployment", width: 1, maximumPending: 256)

    /// Reads the trained models. Blocks. No training runs before ``start()``.
    ///
    /// - Throws: `FileError` if the folder cannot be written.
    package init(_ configuration: Configuration, recogniser: Recogniser, history: HistoryStore) throws {
        self.configuration = configuration
        self.recogniser = recogniser
        self.history = history
        folder = TrainedModelFolder(root: configuration.models)
        folder.removeLeftovers()
        attached = AttachedHeads(folder)
        models = history.files.map { [folder, turn] in SharedModels(folder: folder, files: $0, pool: turn) }
        followed = Locked(
            folder.trainedVersions.reduce(into: [:]) { [folder] settings, trained in
                settings[trained.name] = SharedModels.Setting(
                    deployment: folder.deployment(of: trained.name), isAttached: folder.isAttached(trained.name))
            })
        shadow = ShadowTraffic(folder, recogniser: recogniser)
        cache = configuration.cache
        individuals = IndividualService(
            recogniser: recogniser, history: history, cache: cache, limits: configuration.limits,
            cores: configuration.cores)
        table = JobTable(width: 1, maximumWaiting: configuration.queue, remembered: nil)
        files = JobFiles(history, TrainingRecord.kind)
    }

    /// - Parameter observer: receives every change.
    package func observe(_ observer: @escaping @Sendable (Event) -> Void) {
        observers.withLock { $0.append(observer) }
    }

    /// Resumes the trainings of an earlier process and fetches the models of other processes. Call it before the first
    /// request.
    package func start() async {
        await takeInFiles()
        await begin()
        // Interrupted uploads of an earlier process.
        await removeFolders { _ in true }
        individuals.refresh()
        history.observeChanges { [weak self, individuals] change in
            switch change {
            case .individuals: individuals.refresh()
            case .trainings: Task { await self?.lookAround() }
            }
        }
    }

    /// Stops the work. The next start resumes it.
    package func stop() async {
        await stopJobs()
        await shadow.stop()
        await individuals.stop()
    }

    // MARK: Looking

    /// Newest first.
    package var records: [TrainingRecord] { table.records }

    /// - Throws: ``TrainingError/unknown(_:)``.
    package func record(_ id: ULID) throws(TrainingError) -> TrainingRecord {
        guard let record = table.record(id) else { throw .unknown("\(id)") }
        return record
    }

    /// Whether a training's version answers for its model's name.
    package func isDeployed(_ record: TrainingRecord) -> Bool {
        guard let result = record.result else { return false }
        return recogniser.models.store.deployment(of: result.model)?.version == result.version
    }

    /// The results of a training's model as a challenger. Nil if it is none.
    package func shadowTally(_ record: TrainingRecord) -> ShadowTraffic.Tally? {
        record.result.flatMap { shadow.tally(of: $0.model, version: $0.version) }
    }

    /// A file beside a training's model, such as `report.json`. Nil if it does not exist.
    package func file(_ name: String, of record: TrainingRecord) async throws -> [UInt8]? {
        guard let result = record.result else { return nil }
        let path = "\(folder.folder(result.model, result.version))/\(name)"
        return try await pool.run { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }
    }

    /// The answers of the named animals and of the added heads. Nil if nothing learnt can answer.
    package func learntAnswers(to classification: Classification, top: Int) -> LearntAnswers? {
        let individual = individuals.answer(to: classification)
        let added = attached.answers(to: classification, top: top)
        return individual == nil && added.isEmpty ? nil : LearntAnswers(individual: individual, added: added)
    }

    func notify(_ event: Event) {
        for observer in observers.withLock(\.self) { observer(event) }
    }
}
