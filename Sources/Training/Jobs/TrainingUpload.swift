package import Base
import Foundation

/// Writes the photos of a training to the disk while they are received. An unfinished upload is removed. Its folder is
/// locked, so that no other process on the same data directory takes it for a leftover.
package final class TrainingUpload: Sendable {
    package let id: ULID
    let folder: String
    private let path: String
    private let descriptor: Int32
    private let lock: Int32?
    private let pool = BlockingPool(label: "menagerie.training.upload", width: 1, maximumPending: 64)
    private let length = Locked(0)
    private let isKept = Locked(false)
    private let zip = Locked((writer: ZIPWriter(), photos: 0))

    /// Makes the job's folder with an empty file. Blocks.
    ///
    /// - Parameter expected: the bytes that will be appended, if that is known.
    init(id: ULID, in directory: String, file: String, expected: Int? = nil) throws(FileError) {
        self.id = id
        folder = "\(directory)/\(id)"
        path = "\(folder)/\(file)"
        try FileSystem.makeDirectory(directory)
        if let expected { try FileSystem.requireRoom(for: expected, in: directory, path) }
        try FileSystem.makeDirectory(folder)
        descriptor = try FileSystem.create(path, [])
        lock = FileSystem.lockDirectory(folder)
    }

    deinit {
        FileSystem.closeDescriptor(descriptor)
        if !isKept.withLock({ $0 }) { Self.remove(folder) }
        if let lock { FileSystem.closeDescriptor(lock) }
    }

    /// The number of bytes received so far.
    package var count: Int { length.withLock { $0 } }

    /// Appends bytes. Calls must not overlap.
    ///
    /// - Throws: `FileError`, such as `diskFull` before the disk is entirely full.
    package func append(_ bytes: [UInt8]) async throws {
        let position = count
        try await pool.run { [self] in
            try FileSystem.requireRoom(for: bytes.count, in: folder, path)
            try FileSystem.write(bytes, to: descriptor, at: position, path)
        }
        length.withLock { $0 += bytes.count }
    }

    /// Adds a photo to a ZIP archive, in the folder of its class. Waiting photos always lie in one archive, which
    /// processes share as one file. The calls must not overlap. The last one is followed by ``endPhotos()``.
    ///
    /// - Throws: `FileError`, such as that the disk is full.
    package func add(_ photo: [UInt8], label: String, file: String) async throws {
        let entry = zip.withLock { zip in
            zip.photos += 1
            return zip.writer.entry("\(label)/\(zip.photos)-\(file)", photo, modified: Date())
        }
        try await append(entry)
    }

    /// Completes the archive of the added photos.
    package func endPhotos() async throws { try await append(zip.withLock { $0.writer.finish() }) }

    /// Returns after all bytes are on the disk.
    ///
    /// - Throws: `FileError`.
    package func finish() async throws {
        try await pool.run { [self] in try FileSystem.synchronize(descriptor, path) }
    }

    /// Opens the received bytes for reading.
    package func archive() throws -> ArchiveFile { try ArchiveFile(path) }

    /// Makes the folder outlive this object.
    func keep() { isKept.withLock { $0 = true } }

    /// Removes a job's folder if it exists.
    static func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }
}
