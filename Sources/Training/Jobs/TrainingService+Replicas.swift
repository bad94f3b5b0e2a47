import Base
import Foundation
import History
import Logging
import Recognition

/// What replicas do together: each training is done by one of them, and all of them have its model.
extension TrainingService {
    static let kind = "training"
    /// Seconds after which the training of a replica that died is another one's.
    private static let claim = 30
    /// Between two looks for what was not told, and for trainings whose replica died.
    private static let rounds = Duration.seconds(10)
    static let logger = Logger(label: "menagerie.training")

    /// Looks now and then, and when told to, until the task is cancelled.
    func keepUp() async {
        await removeLeftovers()
        while !Task.isCancelled {
            await adopt()
            runNext()
            do { try await Task.sleep(for: Self.rounds) } catch { return }
        }
    }

    /// Has this replica have what the others did since: models, which versions answer, and trainings. At the start, before the
    /// first request; where nobody shares the history, it does nothing.
    package func adopt() async {
        guard let models else { return }
        do {
            try await adopting.run {
                try await adoptModels(models)
                try await adoptRecords()
            }
            state.withLock { $0.elsewhere = [] }
        } catch is CancellationError {
        } catch {
            Self.logger.warning("What other replicas have trained cannot be had", metadata: ["error": "\(error)"])
        }
    }

    private func adoptModels(_ models: SharedModels) async throws {
        let (removed, settings) = try await models.exchange()
        for reference in removed { try? recogniser.models.unload(reference) }
        for (name, setting) in settings where followed.withLock({ $0[name] }) != setting {
            do {
                try await follow(setting, name)
            } catch {
                // The other names are none the worse.
                Self.logger.error("A model is not served", metadata: ["model": "\(name)", "error": "\(error)"])
            }
        }
    }

    private func follow(_ setting: SharedModels.Setting, _ name: String) async throws {
        if let version = setting.deployment.version {
            if followed.withLock({ $0[name]?.deployment.version }) != version {
                try await recogniser.models.load(ModelReference(name: name, version: version))
            }
            if setting.isAttached { try await blocking { [attached] in try attached.attach(name, version: version) } }
        } else {
            try? recogniser.models.withdraw(name)
        }
        try await put(setting.deployment, of: name)
        if !setting.isAttached { try await blocking { [attached] in attached.detach(name) } }
        followed.withLock { $0[name] = setting }
        for record in records where record.result?.model == name { tell(.changed(record)) }
    }

    // MARK: Records

    private func adoptRecords() async throws {
        // Asked before the rows are: what is new here has a row by then.
        let before = state.withLock { $0.records }
        let rows = try await history.scans.allJobs(Self.kind).reduce(into: [ULID: TrainingRecord]()) {
            $0[$1.id] = TrainingRecord($1)
        }
        for record in rows.values { await adopt(record, over: before[record.id]) }
        for record in before.values where rows[record.id] == nil {
            if record.keeper == nil {
                // Of a release that kept it to itself.
                try await update(record.id) { $0.keeper = history.replica }
            } else {
                if isRunning(record.id) { try await cancel(record.id) }
                state.withLock { $0.records[record.id] = nil }
                let path = "\(configuration.directory)/\(record.id)"
                try await blocking { TrainingUpload.remove(path) }
            }
        }
    }

    func adopt(_ record: TrainingRecord, over known: TrainingRecord?) async {
        guard !isRunning(record.id) else {
            if record.state == .cancelled { try? await cancel(record.id) }
            return
        }
        state.withLock { $0.records[record.id] = record }
        if let known {
            for iteration in record.iterations.dropFirst(known.iterations.count) {
                tell(.iteration(record, iteration))
            }
        }
        guard
            known?.state != record.state || known?.result?.version != record.result?.version
                || known.map({ Int(clamping: $0.progress * 100) }) != Int(clamping: record.progress * 100)
        else { return }
        tell(.changed(record))
        if record.state.isOver, known != nil { tell(.ended(record)) }
    }

    // MARK: Progress

    /// Has this replica know how far the trainings are that others work on.
    func adoptProgress() async {
        try? await adopting.run {
            for known in records where !known.state.isOver && !isRunning(known.id) {
                guard let row = try await history.scans.job(Self.kind, id: known.id),
                    let record = TrainingRecord(row),
                    // It may have been cancelled here meanwhile.
                    (try? self.record(known.id))?.state.isOver == false
                else { continue }
                await adopt(record, over: known)
            }
        }
    }

    /// Tells the other replicas, a second apart, how far a training is, until the task is cancelled.
    func tellReplicas(of id: ULID) async {
        guard models != nil else { return }
        var told = (progress: 0.0, iterations: 0)
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            guard let record = try? record(id) else { return }
            let now = (progress: record.progress, iterations: record.iterations.count)
            let cancelled = TrainingRecord.State.cancelled.rawValue
            guard now != told, let row = try? record.row(),
                (try? await history.scans.updateJob(row, unless: [cancelled])) == true
            else { continue }
            told = now
            await history.tell(.progress)
        }
    }

    func isRunning(_ id: ULID) -> Bool { state.withLock { $0.running?.id == id } }

    // MARK: Photos

    func archive(_ id: ULID, _ kind: ArchivePhotos.Kind) -> String {
        "\(configuration.directory)/\(id)/photos.\(kind.rawValue)"
    }

    private static let root = "training/"

    private static func shared(_ id: ULID) -> String { "\(root)\(id)/photos" }

    /// Gives the photos that came with a training to the other replicas.
    ///
    /// - Returns: whether they have them.
    func sharePhotos(of record: TrainingRecord) async throws -> Bool {
        guard let files = history.files, case .archive(let kind) = record.source else { return false }
        let path = archive(record.id, kind)
        let opened = try await blocking { () -> (descriptor: Int32, size: Int)? in
            try FileSystem.openIfPresent(path).map { ($0, FileSystem.attributes(path)?.size ?? 0) }
        }
        guard let (descriptor, size) = opened else { return false }
        defer { FileSystem.closeDescriptor(descriptor) }
        try await files.store(Self.shared(record.id), bytes: size) {
            position, count in
            try await blocking { try FileSystem.bytes(of: descriptor, at: position, count: count, path) }
        }
        return true
    }

    /// Has the photos of a training be here.
    func bringPhotos(of record: TrainingRecord) async throws {
        guard let files = history.files, case .archive(let kind) = record.source else { return }
        let path = archive(record.id, kind)
        let created = try await blocking { [configuration] () -> Int32? in
            guard !FileManager.default.fileExists(atPath: path) else { return nil }
            try FileSystem.makeDirectory("\(configuration.directory)/\(record.id)")
            FileSystem.remove(path + ".partial")
            return try FileSystem.create(path + ".partial", [])
        }
        guard let descriptor = created else { return }
        defer { FileSystem.closeDescriptor(descriptor) }
        guard
            try await files.load(
                Self.shared(record.id),
                write: { bytes, position in
                    try await blocking { try FileSystem.write(bytes, to: descriptor, at: position, path) }
                })
        else { return }
        try await blocking { try FileSystem.publish(path + ".partial", as: path) }
    }

    /// Removes photos that no training has, as the end of a process can leave them. Nothing is taken in for that long.
    private func removeLeftovers() async {
        guard let files = history.files else { return }
        do {
            let paths = try await files.paths(under: Self.root)
            let ids = Set(paths.compactMap { ULID(String($0.dropFirst(Self.root.count).prefix { $0 != "/" })) })
            for id in ids where id.date.timeIntervalSinceNow < -86_400 {
                if try await history.scans.job(Self.kind, id: id) == nil {
                    try await files.remove(under: Self.shared(id))
                }
            }
        } catch {
            Self.logger.warning("Leftovers of trainings cannot be removed", metadata: ["error": "\(error)"])
        }
    }

    /// Removes the photos of a training that is over.
    func removePhotos(of record: TrainingRecord) async {
        guard case .archive(let kind) = record.source else { return }
        let path = archive(record.id, kind)
        try? await blocking { TrainingUpload.remove(path) }
        try? await history.files?.remove(under: Self.shared(record.id))
    }

    // MARK: Claims

    /// Whether this replica can do a training: whether it can have the photos.
    func hasPhotos(of record: TrainingRecord) -> Bool {
        switch record.source {
        case .corrections, .individuals: true
        case .archive(let kind):
            record.sharesPhotos == true
                || FileManager.default.fileExists(atPath: archive(record.id, kind))
        case .folder(let path): record.keeper == history.replica && FileManager.default.fileExists(atPath: path)
        }
    }

    /// Claims a training, where replicas share them; false where another one works on it or has ended it.
    func begins(_ id: ULID) async -> Bool {
        guard let claims = history.claims else { return true }
        do {
            guard try await claims.claim(id, for: Self.claim) else { return false }
            guard var record = try await history.scans.job(Self.kind, id: id).flatMap(TrainingRecord.init),
                !record.state.isOver
            else {
                try await claims.release(id)
                return false
            }
            record.keeper = history.replica
            let taken = record
            state.withLock { $0.records[id] = taken }
            return true
        } catch {
            return false
        }
    }

    /// Holds a claim until the task is cancelled, or until another replica has it: the training then ends here.
    func holdClaim(_ id: ULID) async {
        guard let claims = history.claims else { return }
        while true {
            do { try await Task.sleep(for: .seconds(Self.claim) / 3) } catch { return }
            // Where the database is away, nobody else can claim it.
            guard (try? await claims.claim(id, for: Self.claim)) == false else { continue }
            let running = state.withLock { state in
                state.lost.insert(id)
                return state.running?.id == id ? state.running : nil
            }
            running?.task.cancel()
            return
        }
    }
}

extension TrainingRecord {
    /// nil for a row of a later release, or with values that no training has.
    init?(_ row: JobRow) {
        self.init(json: Data(row.document.utf8))
    }

    init?(json: Data) {
        guard let record = try? JSONDecoder().decode(TrainingRecord.self, from: json),
            (try? record.validate()) != nil
        else { return nil }
        self = record
    }

    func row() throws -> JobRow {
        JobRow(
            id: id, kind: TrainingService.kind, state: state.rawValue,
            document: String(decoding: try JSONEncoder().encode(self), as: UTF8.self))
    }
}
