internal import Foundation
package import Logging
internal import Synchronization

/// The history as the rest of the program sees it: scans in a repository, their photos beside it.
///
/// Lists, corrections, deletions, favourites: `scans`. Whatever concerns photos as well: here.
package final class HistoryStore: Sendable {
    /// The scans without their photos.
    package let scans: any HistoryRepository
    package let photos: PhotoStore
    let configuration: HistoryConfiguration
    let logger: Logger
    /// Held by upkeep and backups, which must not overlap.
    let isBusy = Mutex(false)

    /// Opens the history, which is made if absent, and migrates it.
    package static func open(
        _ configuration: HistoryConfiguration, logger: Logger = Logger(label: "menagerie.history")
    ) async throws(HistoryError) -> HistoryStore {
        let photos = try await PhotoStore.open(
            directory: configuration.directory + "/photos", maximumBytes: configuration.maximumPhotoBytes,
            maximumPending: configuration.options.maximumPending)
        let scans: any HistoryRepository
        switch configuration.backend {
        case .sqlite:
            scans = try await SQLiteDatabase.repository(
                path: configuration.directory + "/history.sqlite", options: configuration.options)
        case .postgreSQL(let connectionString):
            scans = try await PostgreSQLDatabase.repository(
                connectionString: connectionString, options: configuration.options)
        case .memory:
            scans = InMemoryRepository(options: configuration.options)
        }
        return HistoryStore(scans: scans, photos: photos, configuration: configuration, logger: logger)
    }

    init(
        scans: any HistoryRepository, photos: PhotoStore, configuration: HistoryConfiguration, logger: Logger
    ) {
        self.scans = scans
        self.photos = photos
        self.configuration = configuration
        self.logger = logger
    }

    /// Saves a scan with its photo (upright, re-encoded) and thumbnail. When this returns, all of it survives the
    /// death of the process and the loss of power; when it throws, the history does not show the scan.
    ///
    /// A key that was used before returns the scan saved then; see `HistoryRepository.save`.
    package func save(
        _ scan: NewScan, photo: [UInt8]? = nil, thumbnail: [UInt8]? = nil, idempotencyKey: String? = nil
    ) async throws(HistoryError) -> Scan {
        let files = [photo, photo == nil ? nil : thumbnail].compactMap(\.self)
        let (stored, wasFound) = try await store(files)
        defer { photos.unpin(stored?.digests ?? []) }
        let saved = try await scans.save(scan, photo: stored, idempotencyKey: idempotencyKey)
        if wasFound, saved.photo == stored { try await storeAgainIfCollected(files, stored) }
        return saved
    }

    /// Adds a scan as it is, with its photo, as an import does. False when its id is there already.
    package func insert(
        _ scan: Scan, photo: [UInt8]? = nil, thumbnail: [UInt8]? = nil
    ) async throws(HistoryError) -> Bool {
        let files = [photo, photo == nil ? nil : thumbnail].compactMap(\.self)
        var scan = scan
        let (stored, wasFound) = try await store(files)
        defer { photos.unpin(stored?.digests ?? []) }
        scan.photo = stored
        let count = try await scans.insert([scan])
        if wasFound { try await storeAgainIfCollected(files, stored) }
        return count == 1
    }

    /// The stored copy of a scan's photo, its digest checked. Nil when it was not kept.
    package func photo(of id: ULID) async throws(HistoryError) -> StoredFile? {
        try await file(scans.scan(id: id).photo?.digest)
    }

    /// The thumbnail of a scan's photo, its digest checked. Nil when none was kept.
    package func thumbnail(of id: ULID) async throws(HistoryError) -> StoredFile? {
        try await file(scans.scan(id: id).photo?.thumbnailDigest)
    }

    /// Waits for saves under way, then closes.
    package func close() async throws(HistoryError) {
        await photos.close()
        try await scans.close()
    }

    // MARK: Parts

    /// The files stay pinned. Tells, too, whether one had been there before.
    private func store(_ files: [[UInt8]]) async throws(HistoryError) -> (photo: StoredPhoto?, wasFound: Bool) {
        guard !files.isEmpty else { return (nil, false) }
        let (digests, wasFound) = try await photos.storePinned(files)
        let photo = StoredPhoto(
            digest: digests[0], thumbnailDigest: digests.count > 1 ? digests[1] : nil,
            byteCount: files.reduce(0) { $0 + $1.count })
        return (photo, wasFound)
    }

    /// Closes the gap between finding files and writing their row, in which another process could have collected the
    /// old copies. (New files are too young for that.)
    private func storeAgainIfCollected(_ files: [[UInt8]], _ photo: StoredPhoto?) async throws(HistoryError) {
        guard let photo else { return }
        if try await photos.contains(photo.digests) { return }
        _ = try await photos.store(files)
    }

    private func file(_ digest: ContentDigest?) async throws(HistoryError) -> StoredFile? {
        guard let digest else { return nil }
        return StoredFile(digest: digest, bytes: try await photos.read(digest))
    }
}

/// A stored photo or thumbnail. Its digest is a strong entity tag: the bytes at an address never change.
package struct StoredFile: Hashable, Sendable {
    package var digest: ContentDigest
    package var bytes: [UInt8]
}
