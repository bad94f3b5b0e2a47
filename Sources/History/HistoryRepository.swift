package import Base
package import Foundation

/// Keeps scans, their corrections, favourites, and jobs.
///
/// When `save` returns, the scan survives the death of the process and the loss of power (the in-memory store, for
/// tests, excepted). Every implementation passes the suite in `Tests/HistoryTests/Repository`.
package protocol HistoryRepository: JobRepository {
    /// Saves a scan, and before it the files of its photo, which it names.
    ///
    /// A key that was used before returns the scan saved then, provided that it answered the same request (`request`; the
    /// same photo where that is not known); otherwise throws `idempotencyKeyReused`. An id that is already there returns that scan.
    func save(
        _ scan: NewScan, photo: StoredPhoto?, writing files: [PhotoWrite], idempotencyKey: String?
    ) async throws(HistoryError) -> SavedScan
    /// Takes scans in as they are (import, restore), and returns how many of them changed anything.
    ///
    /// A scan that was deleted is back as it is given here, whether or not the deletion could still be undone; what
    /// `Scan.taken(over:wasDeleted:)` says decides about those whose id is there already.
    func insert(_ scans: [Scan]) async throws(HistoryError) -> Int

    /// Throws `notFound` for an unknown or deleted scan.
    func scan(id: ULID) async throws(HistoryError) -> Scan
    /// The scan that was saved with the key, so that a repeated request need not be recognised again.
    func scan(idempotencyKey: String) async throws(HistoryError) -> Scan?
    /// Earlier scans of the very same photo (`image.sha256`), newest first, at most 100.
    func scans(withDigest digest: ContentDigest) async throws(HistoryError) -> [Scan]
    /// The ids alone of those scans, newest first, at most 100.
    func scanIDs(withDigest digest: ContentDigest) async throws(HistoryError) -> [ULID]
    /// A page of the scans that the query asks for, in its order.
    func page(_ query: HistoryQuery) async throws(HistoryError) -> HistoryPage
    /// How many scans there are, deleted ones left out.
    func count() async throws(HistoryError) -> Int
    /// How much there is, from running totals: cheap, whatever the length of the history.
    func usage() async throws(HistoryError) -> HistoryUsage

    /// Changes note or corrected label and returns the scan as it is then. Throws `notFound`, `invalid`.
    func update(id: ULID, _ update: ScanUpdate) async throws(HistoryError) -> Scan

    /// Deletes one scan; it can be undone for a while. Throws `notFound`.
    func delete(id: ULID) async throws(HistoryError) -> Deletion
    /// Deletes those of the scans that exist.
    func delete(ids: [ULID]) async throws(HistoryError) -> Deletion
    /// Deletes every scan that was there when the call began.
    func deleteAll() async throws(HistoryError) -> Deletion
    /// Takes a deletion back and returns how many scans came back. Throws `undoExpired`.
    func undo(_ deletion: ULID) async throws(HistoryError) -> Int
    /// Removes for good some of what was deleted longer ago than the grace time: to be repeated until it finds nothing.
    func purgeDeleted() async throws(HistoryError) -> Removal
    /// Removes for good, without grace, some of the oldest scans beyond the limits: to be repeated until it finds
    /// nothing.
    func enforce(_ policy: RetentionPolicy) async throws(HistoryError) -> Removal
    /// Gives space back after removals, a little at a time.
    func reclaimSpace() async throws(HistoryError)
    /// Which of the photos and thumbnails a scan names, deleted ones that can be undone included.
    func referenced(among digests: [ContentDigest]) async throws(HistoryError) -> Set<ContentDigest>

    /// Adding twice or removing what is absent changes nothing.
    func setFavourite(_ articleID: String, _ isFavourite: Bool) async throws(HistoryError)
    /// Newest first.
    func favourites() async throws(HistoryError) -> [Favourite]
    /// Every label met, by label.
    func collection() async throws(HistoryError) -> [CollectionEntry]
    /// Every animal that has a name, by name.
    func namedAnimals() async throws(HistoryError) -> [NamedAnimal]

    /// Keeps a session of a lap timer, in the place of an earlier state of it.
    func saveLaps(_ record: LapRecord) async throws(HistoryError)
    /// Every session of the lap timer, newest first.
    func laps() async throws(HistoryError) -> [LapRecord]
    /// Deletes a session with its pictures; nothing changes where there is none.
    func deleteLaps(id: ULID) async throws(HistoryError)
    /// Keeps the picture of a lap, a JPEG.
    func saveLapPhoto(_ photo: [UInt8], session: ULID, lap: Int) async throws(HistoryError)
    /// Nil where none was kept.
    func lapPhoto(session: ULID, lap: Int) async throws(HistoryError) -> [UInt8]?
    /// Deletes the photo that was kept of a lap; nothing happens where none was.
    func deleteLapPhoto(session: ULID, lap: Int) async throws(HistoryError)

    /// Tells whoever listens at the same database; where one process has it, nobody does.
    func notify(_ text: String) async throws(HistoryError)

    /// What is wrong with the stored data, in words; empty when nothing is.
    func checkIntegrity() async throws(HistoryError) -> [String]
    /// Copies the database as a whole to a new SQLite file, as it is now, while others go on writing; false, with nothing
    /// written, where the history is in no SQLite database.
    func copyDatabase(to path: String) async throws(HistoryError) -> Bool
    /// Waits for writes under way, checkpoints and closes. Later calls throw `closed`.
    func close() async throws(HistoryError)
}

extension HistoryRepository {
    /// Saves a scan whose photo, if it has one, is stored already.
    package func save(
        _ scan: NewScan, photo: StoredPhoto?, idempotencyKey: String?
    ) async throws(HistoryError) -> Scan {
        try await save(scan, photo: photo, writing: [], idempotencyKey: idempotencyKey).scan
    }
}

/// What became of a scan to be saved.
package struct SavedScan: Sendable {
    /// As it is in the history now: under a key that was used before, the one that was saved then.
    package var scan: Scan
    /// Earlier scans of the very same photo, newest first, at most 100; empty where the scan was saved before.
    package var seenBefore: [ULID]
    /// Whether one of the files had been there before.
    var foundPhoto: Bool

    init(scan: Scan, seenBefore: [ULID] = [], foundPhoto: Bool = false) {
        self.scan = scan
        self.seenBefore = seenBefore
        self.foundPhoto = foundPhoto
    }
}

/// How much a history holds; deleted scans are left out.
package struct HistoryUsage: Hashable, Sendable {
    package var scans: Int
    /// Bytes of photos and thumbnails, as the scans declare them (a photo scanned twice counts twice).
    package var photoBytes: Int
    /// Bytes of the database, without the photos; 0 where there is none.
    package var databaseBytes: Int
}

/// How long and how much to keep.
package struct RetentionPolicy: Hashable, Sendable {
    /// Seconds; nil keeps scans for ever.
    package var maximumAge: TimeInterval?
    /// Bytes of photos and thumbnails, as the scans declare them (a photo scanned twice counts twice); nil is unlimited.
    package var maximumBytes: Int?

    package init(maximumAge: TimeInterval? = nil, maximumBytes: Int? = nil) {
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
    }
}

/// What every store is told.
package struct RepositoryOptions: Sendable {
    /// How long a deletion can be undone, in seconds.
    package var undoGrace: TimeInterval
    /// How long to wait for another process's lock, or for a server to come back, in seconds.
    package var patience: TimeInterval
    /// How many writes may wait before `overloaded` is thrown.
    package var maximumPending: Int
    /// How far apart the commits of concurrent writes begin at least; see `GroupCommitter`.
    package var pace: Duration
    /// What time it is; tests set it.
    package var now: @Sendable () -> Date

    package init(
        undoGrace: TimeInterval = 600, patience: TimeInterval = 5, maximumPending: Int = 1_024,
        pace: Duration = .milliseconds(8), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.undoGrace = undoGrace
        self.patience = patience
        self.maximumPending = maximumPending
        self.pace = pace
        self.now = now
    }
}
