package import Base
package import Foundation

/// Keeps scans, their corrections, favourites, and jobs.
///
/// A scan survives a crash of the process and a loss of power once `save` returns. Every implementation passes the suite
/// in `Tests/HistoryTests/Repository`.
package protocol HistoryRepository: JobRepository {
    /// Saves the files of the photo first, and then the scan that names them.
    ///
    /// A key that was used before returns its earlier scan if the request is the same (`request`, or the photo if the
    /// request is unknown). Otherwise this throws `idempotencyKeyReused`. An id that exists returns its scan.
    func save(
        _ scan: Scan, writing files: [PhotoWrite], idempotencyKey: String?
    ) async throws(HistoryError) -> SavedScan
    /// Inserts scans as they are (import, restore) and returns how many of them changed anything.
    ///
    /// A deleted scan returns as it is given here, even if its deletion can no longer be undone.
    /// `Scan.taken(over:wasDeleted:)` decides about ids that exist already.
    func insert(_ scans: [Scan]) async throws(HistoryError) -> Int

    /// Throws `notFound` for an unknown or deleted scan.
    func scan(id: ULID) async throws(HistoryError) -> Scan
    /// The scan that was saved with the key. A repeated request then need not be recognised again.
    func scan(idempotencyKey: String) async throws(HistoryError) -> Scan?
    /// The ids of earlier scans of exactly the same photo (`image.sha256`), newest first, at most 100.
    func scanIDs(withDigest digest: ContentDigest) async throws(HistoryError) -> [ULID]
    /// A page of the scans that match the query, newest first.
    func page(_ query: HistoryQuery) async throws(HistoryError) -> HistoryPage
    /// The size of the history, from running totals. The cost does not grow with the history.
    func usage() async throws(HistoryError) -> HistoryUsage

    /// Changes note, corrected label or name, and returns the changed scan. Throws `notFound`, `invalid`.
    func update(id: ULID, _ update: ScanUpdate) async throws(HistoryError) -> Scan

    /// Deletes one scan. The deletion can be undone for a while. Throws `notFound`.
    func delete(id: ULID) async throws(HistoryError) -> Deletion
    /// Deletes the given scans. Unknown ids are ignored.
    func delete(ids: [ULID]) async throws(HistoryError) -> Deletion
    /// Deletes every scan that existed when the call began.
    func deleteAll() async throws(HistoryError) -> Deletion
    /// Takes a deletion back and returns how many scans it restored. Throws `undoExpired`.
    func undo(_ deletion: ULID) async throws(HistoryError) -> Int
    /// Removes some of the scans whose grace time after deletion is over. Call it until it finds nothing.
    func purgeDeleted() async throws(HistoryError) -> Removal
    /// Removes some of the oldest scans beyond the limits, without grace time. Call it until it finds nothing.
    func enforce(_ policy: RetentionPolicy) async throws(HistoryError) -> Removal
    /// Returns free space to the disk after removals, a little at a time.
    func reclaimSpace() async throws(HistoryError)
    /// The photos that a scan names. Deleted scans count as long as they can be restored.
    func referenced(among digests: [ContentDigest]) async throws(HistoryError) -> Set<ContentDigest>

    /// Marks or unmarks an article. Repeating the call changes nothing.
    func setFavourite(_ articleID: String, _ isFavourite: Bool) async throws(HistoryError)
    /// All favourites, newest first.
    func favourites() async throws(HistoryError) -> [Favourite]
    /// Every label that was met, sorted by label.
    func collection() async throws(HistoryError) -> [CollectionEntry]
    /// Every animal that has a name, sorted by name.
    func namedAnimals() async throws(HistoryError) -> [NamedAnimal]

    /// Saves a session of the lap timer and replaces its earlier state.
    func saveLaps(_ record: LapRecord) async throws(HistoryError)
    /// Every session of the lap timer, newest first.
    func laps() async throws(HistoryError) -> [LapRecord]
    /// Deletes a session with its pictures. An unknown id changes nothing.
    func deleteLaps(id: ULID) async throws(HistoryError)
    /// Saves the picture of a lap, a JPEG.
    func saveLapPhoto(_ photo: [UInt8], session: ULID, lap: Int) async throws(HistoryError)
    /// The picture of a lap, or nil if none was saved.
    func lapPhoto(session: ULID, lap: Int) async throws(HistoryError) -> [UInt8]?
    /// Deletes the picture of a lap. A lap without a picture changes nothing.
    func deleteLapPhoto(session: ULID, lap: Int) async throws(HistoryError)

    /// Sends a text to every listener at the same database. A database with only one process has no listeners.
    func notify(_ text: String) async throws(HistoryError)

    /// The problems of the stored data, in words. Empty if there are none.
    func checkIntegrity() async throws(HistoryError) -> [String]
    /// Copies the whole database to a new SQLite file as one snapshot, while others go on writing. Returns false and
    /// writes nothing if the history is not in SQLite.
    func copyDatabase(to path: String) async throws(HistoryError) -> Bool
    /// Waits for writes under way, checkpoints and closes. Later calls throw `closed`.
    func close() async throws(HistoryError)
}

package struct SavedScan: Sendable {
    /// The scan as the history holds it. If the key was used before, this is the scan saved then.
    package var scan: Scan
    /// Earlier scans of exactly the same photo, newest first, at most 100. Empty if this scan had been saved before.
    package var seenBefore: [ULID] = []
    /// Whether one of the files existed before.
    var foundPhoto = false
}

/// The size of a history. Deleted scans are left out.
package struct HistoryUsage: Hashable, Sendable {
    package var scans: Int
    /// Bytes of photos, as the scans state them. A photo scanned twice counts twice.
    package var photoBytes: Int
    /// Bytes of the database without the photos. 0 if there is no database.
    package var databaseBytes: Int
}

/// The limits on the age and the size of a history.
package struct RetentionPolicy: Hashable, Sendable {
    /// Seconds. Nil keeps scans for ever.
    package var maximumAge: TimeInterval?
    /// Bytes of photos, as the scans state them. A photo scanned twice counts twice. Nil means no limit.
    package var maximumBytes: Int?

    package init(maximumAge: TimeInterval? = nil, maximumBytes: Int? = nil) {
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
    }
}

/// Options that every store takes.
package struct RepositoryOptions: Sendable {
    /// The time in which a deletion can be undone, in seconds.
    package var undoGrace: TimeInterval
    /// The longest wait for another process's lock, or for a server that is down, in seconds.
    package var patience: TimeInterval
    /// The number of writes that may wait before `overloaded` is thrown.
    package var maximumPending: Int
    /// The shortest time between the starts of two commits of concurrent writes; see `GroupCommitter`.
    package var pace: Duration
    /// The clock. Tests replace it.
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
