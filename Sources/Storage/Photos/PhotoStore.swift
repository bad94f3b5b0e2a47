internal import Base
internal import Foundation

/// Keeps photos as files named after the SHA-256 of their bytes, in 16×16 directories.
///
/// A photo is appended to the journal, the journal is flushed, and the photo is written under its name; see `Journal`.
/// Only then does `store` return, so a row never names a photo that a crash can lose. Concurrent callers share the
/// flush.
final class PhotoStore: PhotoRepository {
    /// The largest photo that is stored or read, in bytes.
    static let defaultMaximumBytes = 32 * 1_024 * 1_024

    /// For callers that store photos on a thread of their own.
    let batch: PhotoBatch
    var directory: String { batch.directory }
    private let committer: GroupCommitter<[PhotoFile], Bool, HistoryError>
    let readers: BlockingPool
    /// The number of pending rows for each file. These files must not be collected.
    private let pins = Locked<[ContentDigest: Int]>([:])

    /// Opens the directory. It is created if absent.
    /// - Parameters:
    ///   - journalBytes: the size of each of the two files of the journal.
    ///   - reserve: frees space on a full disk to restore photos from the journal.
    static func open(
        directory: String, maximumBytes: Int = defaultMaximumBytes, maximumPending: Int = 256,
        journalBytes: Int = 8 << 20, reserve: DiskReserve = DiskReserve(in: nil)
    ) async throws(HistoryError) -> PhotoStore {
        let readers = BlockingPool(label: "menagerie.history.photos.read", width: 4, maximumPending: maximumPending)
        let journal = Journal(directory: directory, capacity: journalBytes)
        let batch = PhotoBatch(directory: directory, maximumBytes: maximumBytes, journal: journal)
        try await readers.run { () throws(HistoryError) in
            try reserve.backing { () throws(HistoryError) in
                try Self.makeDirectories(directory)
                try Self.recover(directory)
                try batch.recover()
            }
        }
        return PhotoStore(batch: batch, maximumPending: maximumPending, readers: readers)
    }

    private init(batch: PhotoBatch, maximumPending: Int, readers: BlockingPool) {
        self.batch = batch
        self.readers = readers
        committer = GroupCommitter(
            label: "menagerie.history.photos", maximumBatch: 32, maximumPending: maximumPending,
            refusal: HistoryError.init
        ) { writes in
            batch.inTurn { batch.store(writes).results }
        }
    }

    func pin(_ files: [[UInt8]]) throws(HistoryError) -> [PhotoFile] {
        let writes = try PhotoFile.of(files, maximumBytes: batch.maximumBytes)
        pins.withLock { pins in writes.forEach { pins[$0.digest, default: 0] += 1 } }
        return writes
    }

    func write(_ writes: [PhotoFile]) async throws(HistoryError) -> Bool {
        writes.isEmpty ? false : try await committer.submit(writes)
    }

    func unpin(_ digests: [ContentDigest]) {
        pins.withLock { pins in
            for digest in digests {
                let count = pins[digest, default: 1] - 1
                pins[digest] = count > 0 ? count : nil
            }
        }
    }

    func isPinned(_ digest: ContentDigest) -> Bool {
        pins.withLock { $0[digest] != nil }
    }

    func read(_ digest: ContentDigest) async throws(HistoryError) -> [UInt8] {
        let path = Self.path(of: digest, in: directory)
        return try await readers.run { [batch] () throws(HistoryError) in
            guard let bytes = try onDisk(FileSystem.load(path, limit: batch.maximumBytes)) else {
                throw .missingPhoto(path: path)
            }
            guard ContentDigest(of: bytes) == digest else { throw .corruptPhoto(path: path) }
            return bytes
        }
    }

    func contains(_ digests: [ContentDigest]) async throws(HistoryError) -> Bool {
        try await readers.run { [directory] () throws(HistoryError) in
            digests.allSatisfy { FileSystem.attributes(Self.path(of: $0, in: directory)) != nil }
        }
    }

    func close() async {
        await committer.close()
        let closing = BlockingPool(label: "menagerie.history.photos.close", width: 1, maximumPending: 1)
        try? await closing.run { [batch] () throws(HistoryError) in batch.journal.close() }
    }

    // MARK: Layout

    /// `a/b/ab…`: 256 directories, made beforehand so that no save has to make one.
    static func path(of digest: ContentDigest, in directory: String) -> String {
        let name = digest.hexadecimal
        return "\(directory)/\(name.prefix(1))/\(name.dropFirst().prefix(1))/\(name)"
    }

    /// The folder of incomplete files. Those that a crash leaves here are collected.
    static func incoming(in directory: String) -> String { directory + "/incoming" }

    static func leaves(of directory: String) -> [String] {
        let digits = "0123456789abcdef"
        return digits.flatMap { first in digits.map { "\(directory)/\(first)/\($0)" } }
    }

    /// Each parent is flushed once, after its directories are made: 256 flushes would take seconds.
    private static func makeDirectories(_ directory: String) throws(HistoryError) {
        try onDisk(FileSystem.makeDirectory(incoming(in: directory)))
        let missing = leaves(of: directory).filter { !FileSystem.isDirectory($0) }
        if missing.isEmpty { return }
        for leaf in missing { try onDisk(FileSystem.makeDirectory(leaf, flushing: false)) }
        for parent in Set(missing.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }) {
            try onDisk(FileSystem.synchronizeDirectory(parent))
        }
        try onDisk(FileSystem.synchronizeDirectory(directory))
    }

    /// Puts files back that a killed collection had moved aside. The next collection removes those that no scan names.
    private static func recover(_ directory: String) throws(HistoryError) {
        for digest in FileSystem.names(in: incoming(in: directory)).compactMap({ ContentDigest($0) }) {
            try onDisk(
                FileSystem.moveIfPresent("\(incoming(in: directory))/\(digest)", to: path(of: digest, in: directory)))
        }
    }
}
