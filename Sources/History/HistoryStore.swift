package import Base
internal import Foundation
package import Logging

/// The history as the rest of the program sees it: scans in a repository, their photos beside it.
///
/// Lists, corrections, deletions, favourites: `scans`. Whatever concerns photos as well: here.
package final class HistoryStore: Sendable {
    /// The scans without their photos.
    package let scans: any HistoryRepository
    package let photos: any PhotoRepository
    let configuration: HistoryConfiguration
    /// The files of videos, beside the photos.
    package var videos: VideoFolder { VideoFolder(history: configuration.directory) }
    /// Which of the replicas that share the database this is; nil where nobody shares it.
    package let replica: ULID?
    /// Files that all replicas have; nil where nobody shares the history.
    package let files: SharedFiles?
    /// Which of the replicas works on what; nil where nobody shares the history.
    package let claims: JobClaims?
    let logger: Logger
    /// Tells what this process says from what others say: replicas may share a folder.
    let teller = ULID.next()
    /// Waits for what other replicas tell.
    let listening = Locked<PostgreSQLListener?>(nil)
    /// Makes what searching the notes of a large history needs, while that is served.
    private let completion: NoteTableCompletion?
    /// Makes the files that imports are received in.
    let spooling = BlockingPool(label: "menagerie.history.spooling", width: 2, maximumPending: 64)
    /// Held by upkeep and backups, which must not overlap.
    let isBusy = Locked(false)

    /// Opens the history, which is made if absent, and migrates it.
    ///
    /// Files of it that others than their owner may read are made the owner's alone.
    /// - Throws: `noHistory` where there has to be one already (`mustExist`); then nothing was written.
    package static func open(
        _ configuration: HistoryConfiguration, logger: Logger = Logger(label: "menagerie.history")
    ) async throws(HistoryError) -> HistoryStore {
        let opening = BlockingPool(label: "menagerie.history.opening", width: 1, maximumPending: 1)
        let replica = try await opening.run { () throws(HistoryError) -> ULID? in
            if configuration.mustExist { try configuration.requireHistory() }
            FileProtection.tighten(configuration.directory, logger: logger)
            SpooledFile.removeLeftovers(in: SpooledFile.directory(in: configuration.directory))
            guard case .postgreSQL = configuration.backend else { return nil }
            return try ReplicaIdentity.of(configuration.directory)
        }
        let folder = configuration.directory + "/photos"
        let reserve = DiskReserve(in: configuration.directory)
        func openPhotos() async throws(HistoryError) -> PhotoStore {
            try await PhotoStore.open(
                directory: folder, maximumBytes: configuration.maximumPhotoBytes,
                maximumPending: configuration.options.maximumPending, reserve: reserve)
        }
        let scans: any HistoryRepository
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
                database: repository.database, maximumBytes: configuration.maximumPhotoBytes,
                files: FileSystem.isDirectory(folder) ? try await openPhotos() : nil)
        case .memory:
            let files = try await openPhotos()
            scans = InMemoryRepository(options: configuration.options, photos: files)
            photos = files
        }
        return HistoryStore(
            scans: scans, photos: photos, shared: shared, configuration: configuration, replica: replica,
            logger: logger)
    }

    init(
        scans: any HistoryRepository, photos: any PhotoRepository, shared: (any SQLDatabase)?,
        configuration: HistoryConfiguration, replica: ULID?, logger: Logger
    ) {
        self.scans = scans
        self.photos = photos
        files = shared.map(SharedFiles.init)
        let process = teller
        claims = shared.map { JobClaims(database: $0, owner: process) }
        self.configuration = configuration
        self.replica = replica
        self.logger = logger
        if case .postgreSQL(let connectionString) = configuration.backend {
            completion = NoteTableCompletion(connectionString: connectionString, logger: logger)
        } else {
            completion = nil
        }
    }

    /// Saves a scan with its photo (upright, re-encoded) and thumbnail. When this returns, all of it survives the
    /// death of the process and the loss of power; when it throws, the history does not show the scan.
    ///
    /// A key that was used before returns the scan saved then; see `HistoryRepository.save`.
    package func record(
        _ scan: NewScan, photo: [UInt8]? = nil, thumbnail: [UInt8]? = nil, idempotencyKey: String? = nil
    ) async throws(HistoryError) -> SavedScan {
        let files = try photos.pin(Self.files(photo, thumbnail))
        defer { photos.unpin(files.map(\.digest)) }
        let stored = Self.storedPhoto(files)
        let saved = try await scans.save(scan, photo: stored, writing: files, idempotencyKey: idempotencyKey)
        if saved.foundPhoto, saved.scan.photo == stored { try await storeAgainIfCollected(files) }
        return saved
    }

    /// `record` for those to whom the scan is enough.
    package func save(
        _ scan: NewScan, photo: [UInt8]? = nil, thumbnail: [UInt8]? = nil, idempotencyKey: String? = nil
    ) async throws(HistoryError) -> Scan {
        try await record(scan, photo: photo, thumbnail: thumbnail, idempotencyKey: idempotencyKey).scan
    }

    /// Takes a scan in as it is, with its photo, as an import does; see `HistoryRepository.insert`. False where the
    /// history had it already.
    package func insert(
        _ scan: Scan, photo: [UInt8]? = nil, thumbnail: [UInt8]? = nil
    ) async throws(HistoryError) -> Bool {
        let files = try photos.pin(Self.files(photo, thumbnail))
        defer { photos.unpin(files.map(\.digest)) }
        var scan = scan
        scan.photo = Self.storedPhoto(files)
        let foundPhoto = try await photos.write(files)
        let count = try await scans.insert([scan])
        if foundPhoto { try await storeAgainIfCollected(files) }
        return count == 1
    }

    /// Whether a scan is there, with its photo whole, so that there is nothing left of it to take in.
    /// - Parameter withPhoto: whether the scan to be taken in has one.
    package func holds(_ id: ULID, withPhoto: Bool) async throws(HistoryError) -> Bool {
        do throws(HistoryError) {
            let scan = try await scans.scan(id: id)
            guard let photo = scan.photo else { return !withPhoto }
            for digest in photo.digests { _ = try await photos.read(digest) }
            return true
        } catch {
            switch error {
            // What is wrong there is replaced.
            case .notFound, .damagedScan: return false
            default: break
            }
            guard error.isLossOfPhoto else { throw error }
            return false
        }
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
        listening.withLock { $0 }?.close()
        completion?.close()
        // The journal goes last: it may hold what the database has not flushed.
        do throws(HistoryError) {
            try await scans.close()
        } catch {
            await photos.close()
            throw error
        }
        await photos.close()
    }

    // MARK: Parts

    private static func files(_ photo: [UInt8]?, _ thumbnail: [UInt8]?) -> [[UInt8]] {
        photo.map { [$0] + [thumbnail].compactMap(\.self) } ?? []
    }

    private static func storedPhoto(_ files: [PhotoWrite]) -> StoredPhoto? {
        files.first.map { photo in
            StoredPhoto(
                digest: photo.digest, thumbnailDigest: files.dropFirst().first?.digest,
                byteCount: files.reduce(0) { $0 + $1.bytes.count })
        }
    }

    /// Closes the gap between finding files and writing their row, in which another process could have collected the
    /// old copies. (New files are too young for that.)
    private func storeAgainIfCollected(_ files: [PhotoWrite]) async throws(HistoryError) {
        if try await photos.contains(files.map(\.digest)) { return }
        _ = try await photos.write(files)
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
