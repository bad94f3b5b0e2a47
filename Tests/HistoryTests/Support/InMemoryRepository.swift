import Base
import Foundation

@testable import History

/// The history as plain values. The tests compare the databases with it, and it passes their suite itself.
final class InMemoryRepository: HistoryRepository {
    struct Entry {
        var scan: Scan
        var idempotencyKey: String?
        var deletion: ULID?
    }

    struct State {
        var entries: [ULID: Entry] = [:]
        var favourites: [String: Date] = [:]
        var jobs: [ULID: JobRow] = [:]
        var laps: [ULID: LapRecord] = [:]
        var lapPhotos: [ULID: [Int: [UInt8]]] = [:]
        var isClosed = false

        /// Live scans, newest first.
        var live: [Scan] {
            entries.values.filter { $0.deletion == nil }.map(\.scan).sorted {
                ($0.createdAt, $0.id) > ($1.createdAt, $1.id)
            }
        }
    }

    let options: RepositoryOptions
    private let state = Locked(State())

    init(options: RepositoryOptions) {
        self.options = options
    }

    /// Runs the body alone. Throws `closed` after closing.
    func access<Value: Sendable>(
        _ body: (inout State) throws(HistoryError) -> Value
    ) throws(HistoryError) -> Value {
        try state.withLock { state throws(HistoryError) in
            if state.isClosed { throw .closed }
            return try body(&state)
        }
    }

    // MARK: Saving

    func save(
        _ scan: Scan, writing files: [PhotoWrite], idempotencyKey: String?
    ) async throws(HistoryError) -> SavedScan {
        try scan.validate()
        try validateIdempotencyKey(idempotencyKey)
        return try access { state throws(HistoryError) in
            if let idempotencyKey,
                let earlier = state.entries.values.first(where: { $0.idempotencyKey == idempotencyKey })
            {
                guard scan.repeats(earlier.scan) else {
                    throw .idempotencyKeyReused(idempotencyKey)
                }
                return SavedScan(scan: earlier.scan)
            }
            let before = state.live.filter { $0.image.sha256 == scan.image.sha256 && $0.id != scan.id }.prefix(100)
            let saved = SavedScan(scan: scan, seenBefore: before.map(\.id))
            if let earlier = state.entries[scan.id] {
                guard earlier.deletion == nil else { throw .notFound(scan.id.description) }
                return SavedScan(scan: earlier.scan, seenBefore: saved.seenBefore)
            }
            state.entries[scan.id] = Entry(scan: scan, idempotencyKey: idempotencyKey)
            return saved
        }
    }

    func insert(_ scans: [Scan]) async throws(HistoryError) -> Int {
        for scan in scans { try scan.validate() }
        return try access { state in
            var count = 0
            for scan in scans {
                let earlier = state.entries[scan.id]
                let taken = earlier.map { scan.taken(over: $0.scan, wasDeleted: $0.deletion != nil) } ?? scan
                guard let taken else { continue }
                state.entries[scan.id] = Entry(scan: taken, idempotencyKey: earlier?.idempotencyKey)
                count += 1
            }
            return count
        }
    }

    // MARK: Reading

    func scan(id: ULID) async throws(HistoryError) -> Scan {
        try access { state throws(HistoryError) in
            guard let entry = state.entries[id], entry.deletion == nil else { throw .notFound(id.description) }
            return entry.scan
        }
    }

    func scan(idempotencyKey: String) async throws(HistoryError) -> Scan? {
        try validateIdempotencyKey(idempotencyKey)
        return try access { state in state.entries.values.first { $0.idempotencyKey == idempotencyKey }?.scan }
    }

    func scanIDs(withDigest digest: ContentDigest) async throws(HistoryError) -> [ULID] {
        try access { state in state.live.filter { $0.image.sha256 == digest }.prefix(100).map(\.id) }
    }

    func usage() async throws(HistoryError) -> HistoryUsage {
        try access { state in
            let live = state.live
            return HistoryUsage(
                scans: live.count, photoBytes: live.reduce(0) { $0 + ($1.photo?.byteCount ?? 0) }, databaseBytes: 0)
        }
    }

    func page(_ query: HistoryQuery) async throws(HistoryError) -> HistoryPage {
        try query.validate()
        return try access { state in
            let matching = state.live.filter { query.matches($0) }
            let rest = matching.filter { scan in
                guard let cursor = query.cursor else { return true }
                return (scan.createdAt.milliseconds, scan.id.description) < (cursor.number, cursor.id)
            }
            let items = Array(rest.prefix(query.limit))
            let limit = query.isCountedByTotals ? Int.max : HistoryPage.countingLimit
            return HistoryPage(
                items: items, total: min(matching.count, limit), totalIsExact: matching.count <= limit,
                nextCursor: rest.count > items.count ? items.last.map(\.cursor) : nil)
        }
    }

    // MARK: Changing

    func update(id: ULID, _ update: ScanUpdate) async throws(HistoryError) -> Scan {
        try update.validate()
        return try access { state throws(HistoryError) in
            guard var entry = state.entries[id], entry.deletion == nil else { throw .notFound(id.description) }
            entry.scan.note = update.note.applied(to: entry.scan.note)
            entry.scan.correctedLabel = update.correctedLabel.applied(to: entry.scan.correctedLabel)
            entry.scan.individual = update.individual.applied(to: entry.scan.individual)
            state.entries[id] = entry
            return entry.scan
        }
    }

    func close() async throws(HistoryError) {
        state.withLock { $0.isClosed = true }
    }
}

extension HistoryQuery {
    /// Whether the filters let the scan through.
    func matches(_ scan: Scan) -> Bool {
        if let label, (scan.effectiveLabel ?? "") != label { return false }
        if let species, scan.species != species { return false }
        if let from, scan.createdAt.milliseconds < from.milliseconds { return false }
        if let to, scan.createdAt.milliseconds >= to.milliseconds { return false }
        if let corrected, (scan.correctedLabel != nil) != corrected { return false }
        if let named, (scan.individual != nil) != named { return false }
        if let individual, scan.individual != individual { return false }
        if let abstained, (scan.abstained && scan.correctedLabel == nil) != abstained { return false }
        if let foldedText, scan.note?.lowercased().contains(foldedText) != true { return false }
        return true
    }
}

extension InMemoryRepository {
    func delete(id: ULID) async throws(HistoryError) -> Deletion {
        let deletion = try await delete(ids: [id])
        guard deletion.count == 1 else { throw .notFound(id.description) }
        return deletion
    }

    func delete(ids: [ULID]) async throws(HistoryError) -> Deletion {
        try access { state in delete(Set(ids), &state) }
    }

    func deleteAll() async throws(HistoryError) -> Deletion {
        try access { state in delete(Set(state.entries.keys), &state) }
    }

    private func delete(_ ids: Set<ULID>, _ state: inout State) -> Deletion {
        var deletion = Deletion(id: ULID(date: options.now()))
        for id in ids where state.entries[id]?.deletion == nil && state.entries[id] != nil {
            state.entries[id]?.deletion = deletion.id
            deletion.count += 1
        }
        return deletion
    }

    private var graceStart: ULID { ULID(lowestAt: options.now().addingTimeInterval(-options.undoGrace)) }

    func undo(_ deletion: ULID) async throws(HistoryError) -> Int {
        try access { state throws(HistoryError) in
            let ids = state.entries.filter { $0.value.deletion == deletion }.map(\.key)
            guard deletion >= graceStart, !ids.isEmpty else { throw .undoExpired(deletion.description) }
            for id in ids { state.entries[id]?.deletion = nil }
            return ids.count
        }
    }

    func purgeDeleted() async throws(HistoryError) -> Removal {
        try access { state in
            remove(state.entries.filter { ($0.value.deletion ?? graceStart) < graceStart }.map(\.key), &state)
        }
    }

    func enforce(_ policy: RetentionPolicy) async throws(HistoryError) -> Removal {
        try access { state in
            var ids: [ULID] = []
            if let age = policy.maximumAge {
                let bound = options.now().addingTimeInterval(-age).milliseconds
                ids += state.live.filter { $0.createdAt.milliseconds < bound }.map(\.id)
            }
            if ids.isEmpty, let limit = policy.maximumBytes {
                var bytes = state.live.reduce(0) { $0 + ($1.photo?.byteCount ?? 0) }
                for scan in state.live.reversed() where bytes > limit {
                    bytes -= scan.photo?.byteCount ?? 0
                    ids.append(scan.id)
                }
            }
            return remove(ids, &state)
        }
    }

    private func remove(_ ids: [ULID], _ state: inout State) -> Removal {
        let removed = ids.compactMap { state.entries.removeValue(forKey: $0) }
        return Removal(count: removed.count, digests: Set(removed.compactMap(\.scan.photo?.digest)))
    }

    func reclaimSpace() async throws(HistoryError) {}

    func referenced(among digests: [ContentDigest]) async throws(HistoryError) -> Set<ContentDigest> {
        try access { state in
            Set(state.entries.values.compactMap(\.scan.photo?.digest)).intersection(digests)
        }
    }
}

extension InMemoryRepository {
    func setFavourite(_ articleID: String, _ isFavourite: Bool) async throws(HistoryError) {
        guard ScanUpdate.isLabel(articleID) else { throw .invalid(field: "id", problem: ScanUpdate.labelRule) }
        try access { state in
            state.favourites[articleID] = isFavourite ? state.favourites[articleID] ?? options.now() : nil
        }
    }

    func favourites() async throws(HistoryError) -> [Favourite] {
        try access { state in
            state.favourites.map { Favourite(articleID: $0.key, since: Date(milliseconds: $0.value.milliseconds)) }
                .sorted { ($1.since, $0.articleID) < ($0.since, $1.articleID) }
        }
    }

    func collection() async throws(HistoryError) -> [CollectionEntry] {
        try access { state in
            let met = state.live.filter { !$0.abstained || $0.correctedLabel != nil }
            return Dictionary(grouping: met) { $0.effectiveLabel ?? "" }.compactMap { label, scans in
                guard !label.isEmpty, let last = scans.first, let first = scans.last else { return nil }
                return CollectionEntry(
                    label: label, firstMet: first.createdAt, lastMet: last.createdAt, count: scans.count)
            }.sorted { $0.label < $1.label }
        }
    }

    func namedAnimals() async throws(HistoryError) -> [NamedAnimal] {
        try access { state in
            state.live.compactMap { scan in
                scan.individual.map { NamedAnimal(name: $0, species: scan.species, count: 1) }
            }.joined()
        }
    }

    func checkIntegrity() async throws(HistoryError) -> [String] { [] }

    func copyDatabase(to path: String) -> Bool { false }
}

extension InMemoryRepository {
    func notify(_ text: String) async throws(HistoryError) {}

    func saveJob(_ job: JobRow) async throws(HistoryError) {
        try access { state in state.jobs[job.id] = job }
    }

    func updateJob(_ job: JobRow, unless states: [String]) async throws(HistoryError) -> Bool {
        try access { state in
            guard let earlier = state.jobs[job.id], earlier.kind == job.kind, !states.contains(earlier.state) else {
                return false
            }
            state.jobs[job.id] = job
            return true
        }
    }

    func job(_ kind: String, id: ULID) async throws(HistoryError) -> JobRow? {
        try access { state in state.jobs[id].flatMap { $0.kind == kind ? $0 : nil } }
    }

    func jobs(_ kind: String, limit: Int, older: ULID?) async throws(HistoryError) -> JobPage {
        try access { state in
            let all = state.jobs.values.filter { $0.kind == kind }.sorted { $0.id > $1.id }
            let rest = all.filter { job in older.map { job.id < $0 } ?? true }
            return JobPage(
                items: Array(rest.prefix(max(1, limit))), total: all.count, hasMore: rest.count > max(1, limit))
        }
    }

    func removeJob(_ kind: String, id: ULID) async throws(HistoryError) -> Bool {
        try access { state in
            guard state.jobs[id]?.kind == kind else { return false }
            state.jobs[id] = nil
            return true
        }
    }
}

extension InMemoryRepository {
    func saveLaps(_ record: LapRecord) async throws(HistoryError) {
        try access { $0.laps[record.id] = record }
    }

    func laps() async throws(HistoryError) -> [LapRecord] {
        try access { $0.laps.values.sorted { $0.id > $1.id } }
    }

    func deleteLaps(id: ULID) async throws(HistoryError) {
        try access { state in
            state.laps[id] = nil
            state.lapPhotos[id] = nil
        }
    }

    func saveLapPhoto(_ photo: [UInt8], session: ULID, lap: Int) async throws(HistoryError) {
        try access { $0.lapPhotos[session, default: [:]][lap] = photo }
    }

    func lapPhoto(session: ULID, lap: Int) async throws(HistoryError) -> [UInt8]? {
        try access { $0.lapPhotos[session]?[lap] }
    }

    func deleteLapPhoto(session: ULID, lap: Int) async throws(HistoryError) {
        try access { $0.lapPhotos[session]?[lap] = nil }
    }
}

extension Scan {
    /// The end of a page whose last scan this is.
    var cursor: Cursor { Cursor(HistoryQuery.listName, number: createdAt.milliseconds, id: id.description) }
}
