package import Base
internal import Foundation
package import Logging

/// The history as the rest of the program sees it: scans in a repository, their photos beside it.
///
/// Lists, corrections, deletions and favourites are in `scans`. Everything that also concerns photos is here.
package final class HistoryStore: Sendable {
    package let scans: HistoryRepository
    package let photos: any PhotoRepository
    let configuration: HistoryConfiguration
    /// The files of videos, beside the photos.
    package var videos: VideoFolder { VideoFolder(history: configuration.directory) }
    /// The identity of the history's folder, which says whose files a job needs. Nil if no other process shares the
    /// database.
    package let folder: ULID?
    package var isShared: Bool { folder != nil }
    /// Files that all replicas see. Nil if no other process shares the history.
    package let files: SharedFiles?
    /// Records which replica works on which job. Nil if no other process shares the history.
    package let claims: JobClaims?
    let logger: Logger
    /// Marks this process's notices, so that it ignores them. Replicas may share a folder and so an identity.
    let sender = ULID.next()
    /// Waits for notices of other replicas.
    let listening = Locked<PostgreSQLListener?>(nil)
    /// Prepares the search in the notes of a large history while the history is in use.
    private let completion: NoteTableCompletion?
    /// The threads that make files for incoming imports.
    let spooling = BlockingPool(label: "menagerie.history.spooling", width: 2, maximumPending: 64)
    /// Stands in for a folder on a read-only file system.
    private let standIn: ReadOnlyHistory?
    /// Held by upkeep and backups, which must not overlap.
    let isBusy = Locked(false)
    let usage = Locked(KnownUsage())
    let clockDoubt = ClockDoubt()

    /// Opens the history and migrates it. It is created if absent.
    ///
    /// Files of the history that other users may read become readable by their owner only.
    /// - Throws: `noHistory` if `mustExist` is set and no history exists. Nothing is written then.
    package static func open(
        _ given: HistoryConfiguration, logger: Logger = Logger(label: "menagerie.history")
    ) async throws(HistoryError) -> HistoryStore {
        let opening = BlockingPool(label: "menagerie.history.opening", width: 1, maximumPending: 1)
        let standIn = try await opening.run { () throws(HistoryError) in try ReadOnlyHistory(given) }
        let configuration = standIn?.configuration ?? given
        let identity = try await opening.run { () throws(HistoryError) -> ULID? in
            if configuration.mustExist { try configuration.requireHistory() }
            FileProtection.tighten(configuration.directory, logger: logger)
            SpooledFile.removeLeftovers(in: SpooledFile.directory(in: configuration.directory))
            guard case .postgreSQL = configuration.backend else { return nil }
            return try ReplicaIdentity.of(configuration.directory)
        }
        let photoFolder = configuration.directory + "/photos"
        let reserve = DiskReserve(in: configuration.directory)
        func openPhotos() async throws(HistoryError) -> PhotoStore {
            try await PhotoStore.open(
                directory: photoFolder, maximumPending: configuration.options.maximumPending, reserve: reserve)
        }
        let scans: HistoryRepository
        let photos: any PhotoRepository
        var shared: (any SQLDatabase)?
        switch configuration.backend {
        case .sqlite:
            let files = try await openPhotos()
            scans = try await SQLiteDatabase.repository(
                path: configuration.directory + "/history.sqlite", photos: files.batch, reserve: reserve,
                options: configuration.options)
            photos = files
            if !configuration.mustExist {
                try await opening.run { () throws(HistoryError) in
                    reserve.fill()
                    guard FileSystem.isFull(configuration.directory) else { return }
                    logger.warning(
                        "The disk is full: nothing can be saved; reading and deleting work",
                        metadata: ["directory": "\(configuration.directory)"])
                }
            }
        case .postgreSQL(let connectionString):
            let repository = try await PostgreSQLDatabase.repository(
                connectionString: connectionString, options: configuration.options)
            scans = repository
            shared = repository.database
            photos = PhotoTable(
                database: repository.database,
                files: FileSystem.isDirectory(photoFolder) ? try await openPhotos() : nil)
        }
        return HistoryStore(
            scans: scans, photos: photos, shared: shared, configuration: configuration, folder: identity,
            standIn: standIn, logger: logger)
    }

    init(
        scans: HistoryRepository, photos: any PhotoRepository, shared: (any SQLDatabase)?,
        configuration: HistoryConfiguration, folder: ULID?, standIn: ReadOnlyHistory? = nil, logger: Logger
    ) {
        self.standIn = standIn
        self.scans = scans
        self.photos = photos
        files = shared.map(SharedFiles.init)
        let process = sender
        claims = shared.map { JobClaims(database: $0, owner: process) }
        self.configuration = configuration
        self.folder = folder
        self.logger = logger
        if case .postgreSQL(let connectionString) = configuration.backend {
            completion = NoteTableCompletion(connectionString: connectionString, logger: logger)
        } else {
            completion = nil
        }
    }

    /// Saves a scan with its photo (upright, re-encoded). When this returns, both survive a crash of the process and a
    /// loss of power. When it throws, the history does not show the scan.
    ///
    /// A key that was used before returns the scan saved then; see `HistoryRepository.save`.
    package func record(
        _ scan: Scan, photo: [UInt8]? = nil, idempotencyKey: String? = nil
    ) async throws(HistoryError) -> SavedScan {
        let files = try photos.pin(photo.map { [$0] } ?? [])
        defer { photos.unpin(files.map(\.digest)) }
        var scan = scan
        scan.photo = files.first.map { StoredPhoto(digest: $0.digest, byteCount: $0.bytes.count) }
        let saved = try await scans.save(scan, writing: files, idempotencyKey: idempotencyKey)
        if saved.foundPhoto, saved.scan.photo == scan.photo { try await storeAgainIfCollected(files) }
        return saved
    }

    /// Does the same as `record` and returns only the scan.
    package func save(
        _ scan: Scan, photo: [UInt8]? = nil, idempotencyKey: String? = nil
    ) async throws(HistoryError) -> Scan {
        try await record(scan, photo: photo, idempotencyKey: idempotencyKey).scan
    }

    /// Inserts a scan as it is, with its photo, as an import does; see `HistoryRepository.insert`. Returns false if the
    /// history had it already. A scan that names a photo keeps its own one, if it is deleted and still has it.
    package func insert(_ scan: Scan, photo: [UInt8]? = nil) async throws(HistoryError) -> Bool {
        let files = try photos.pin(photo.map { [$0] } ?? [])
        defer { photos.unpin(files.map(\.digest)) }
        var scan = scan
        // JSON lines have no photos, but say which scans had one.
        let namesPhoto = scan.photo != nil
        scan.photo = files.first.map { StoredPhoto(digest: $0.digest, byteCount: $0.bytes.count) }
        let foundPhoto = try await photos.write(files)
        let count = try await scans.insert([scan], keepsPhotos: namesPhoto)
        if foundPhoto { try await storeAgainIfCollected(files) }
        return count == 1
    }

    /// Whether the history has the scan, with its photo intact, so that an import can skip it.
    /// - Parameter withPhoto: whether the scan to be imported has a photo.
    package func holds(_ id: ULID, withPhoto: Bool) async throws(HistoryError) -> Bool {
        do throws(HistoryError) {
            guard let photo = try await scans.scan(id: id).photo else { return !withPhoto }
            return try await photos.readIfIntact(photo.digest) != nil
        } catch {
            switch error {
            // The import replaces what is damaged.
            case .notFound, .damagedScan: return false
            default: throw error
            }
        }
    }

    /// The stored copy of a scan's photo, with its digest checked. Nil if the photo was not kept.
    package func photo(of id: ULID) async throws(HistoryError) -> PhotoFile? {
        guard let digest = try await scans.scan(id: id).photo?.digest else { return nil }
        return PhotoFile(digest: digest, bytes: try await photos.read(digest))
    }

    /// Waits for saves in progress, then closes.
    package func close() async throws(HistoryError) {
        defer { standIn?.remove() }
        listening.withLock { $0 }?.close()
        completion?.close()
        // The journal closes last: it may hold rows that the database has not flushed.
        do throws(HistoryError) {
            try await scans.close()
        } catch {
            await photos.close()
            throw error
        }
        await photos.close()
    }

    // MARK: Parts

    /// Stores files again that another process removed between finding them and writing their row. New files are too
    /// young to be removed.
    private func storeAgainIfCollected(_ files: [PhotoFile]) async throws(HistoryError) {
        if try await photos.contains(files.map(\.digest)) { return }
        _ = try await photos.write(files)
    }
}
