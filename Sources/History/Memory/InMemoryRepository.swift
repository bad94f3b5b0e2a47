internal import Base
internal import Foundation

/// The history in memory, for tests. Its contents are lost when the process ends.
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
    private let photos: PhotoStore?
    private let state = Locked(State())

    /// - Parameter photos: receives the photos of a save. Nil if there are none.
    init(options: RepositoryOptions, photos: PhotoStore? = nil) {
        self.options = options
        self.photos = photos
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
        _ scan: NewScan, photo: StoredPhoto?, writing files: [PhotoWrite], idempotencyKey: String?
    ) async throws(HistoryError) -> SavedScan {
        let scan = Scan(scan, photo: photo)
        try scan.validate()
        try validateIdempotencyKey(idempotencyKey)
        let foundPhoto = try await photos?.write(files) ?? false
        return try access { state throws(HistoryError) in
            if let idempotencyKey,
                let earlier = state.entries.values.first(where: { $0.idempotencyKey == idempotencyKey })
            {
                guard scan.recognition.repeats(earlier.scan.recognition) else {
                    throw .idempotencyKeyReused(idempotencyKey)
                }
                return SavedScan(scan: earlier.scan)
            }
            let before = state.live.filter { $0.image.sha256 == scan.image.sha256 && $0.id != scan.id }.prefix(100)
            let saved = SavedScan(scan: scan, seenBefore: before.map(\.id), foundPhoto: foundPhoto)
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

    func scans(withDigest digest: ContentDigest) async throws(HistoryError) -> [Scan] {
        try access { state in Array(state.live.filter { $0.image.sha256 == digest }.prefix(100)) }
    }

    func scanIDs(withDigest digest: ContentDigest) async throws(HistoryError) -> [ULID] {
        try await scans(withDigest: digest).map(\.id)
    }

    func count() async throws(HistoryError) -> Int {
        try access { state in state.live.count }
    }

    func usage() async throws(HistoryError) -> HistoryUsage {
        try access { state in
            let live = state.live
            return HistoryUsage(
                scans: live.count, photoBytes: live.reduce(0) { $0 + ($1.photo?.byteCount ?? 0) }, databaseBytes: 0)
        }
    }

    func page(_ query: HistoryQuery) async throws(HistoryError) -> HistoryPage {
        let position = try query.validatedPosition()
        return try access { state in
            let matching = state.live.filter { query.matches($0) }
            let rest = matching.filter { scan in
                guard let position else { return true }
                return (scan.createdAt.milliseconds, scan.id) < (position.createdAt, position.id)
            }
            let items = Array(rest.prefix(query.limit))
            let limit = query.isCountedByTotals ? Int.max : HistoryPage.countingLimit
            return HistoryPage(
                items: items, total: min(matching.count, limit), totalIsExact: matching.count <= limit,
                nextCursor: rest.count > items.count ? items.last.map { HistoryCursor($0).description } : nil)
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
