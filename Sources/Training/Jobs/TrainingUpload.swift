package import Base
import Foundation

/// The photos of a training on their way to the disk. Whatever is not finished is gone after a restart.
package final class TrainingUpload: Sendable {
    package let id: ULID
    let folder: String
    private let path: String
    private let descriptor: Int32
    private let pool = BlockingPool(label: "menagerie.training.upload", width: 1, maximumPending: 64)
    private let length = Locked(0)
    private let isKept = Locked(false)

    /// Makes the job's folder with an empty file. Blocks.
    ///
    /// - Throws: `FileError`.
    init(id: ULID, in directory: String, file: String) throws(FileError) {
        self.id = id
        folder = "\(directory)/\(id)"
        path = "\(folder)/\(file)"
        try FileSystem.makeDirectory(folder)
        descriptor = try FileSystem.create(path, [])
    }

    deinit {
        FileSystem.closeDescriptor(descriptor)
        if !isKept.withLock({ $0 }) { Self.remove(folder) }
    }

    /// Bytes so far.
    package var count: Int { length.withLock { $0 } }

    /// Adds bytes at the end. Calls must not overlap.
    ///
    /// - Throws: `FileError`, such as that the disk is full.
    package func append(_ bytes: [UInt8]) async throws {
        let position = count
        try await blocking { [self] in try FileSystem.write(bytes, to: descriptor, at: position, path) }
        length.withLock { $0 += bytes.count }
    }

    /// Returns once all is on the disk.
    ///
    /// - Throws: `FileError`.
    package func finish() async throws {
        try await blocking { [self] in try FileSystem.synchronize(descriptor, path) }
    }

    /// The bytes that came, to be read.
    package func archive() throws -> ArchiveFile { try ArchiveFile(path) }

    /// The folder outlives this object.
    func keep() { isKept.withLock { $0 = true } }

    /// Removes a job's folder; one that is absent is no matter.
    static func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

    private func blocking(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await pool.run(whenFull: { TrainingError.queueFull($0) as any Error }, body)
    }
}
