package import Base
import Glibc
import History

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
    /// - Throws: `HistoryError`.
    init(id: ULID, in directory: String, file: String) throws {
        self.id = id
        folder = "\(directory)/\(id)"
        path = "\(folder)/\(file)"
        try DurableFile.replace(path, with: [])
        descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw HistoryError.unavailable("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit {
        close(descriptor)
        if !isKept.withLock({ $0 }) { TrainingUpload.remove(folder) }
    }

    package var count: Int { length.withLock { $0 } }

    /// Adds bytes at the end.
    ///
    /// - Throws: `HistoryError.diskFull`.
    package func append(_ bytes: [UInt8]) async throws {
        try await pool.run(whenFull: { HistoryError.unavailable("\($0) writes wait") }) {
            [self] () throws(HistoryError) in
            var written = 0
            while written < bytes.count {
                let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    throw errno == ENOSPC || errno == EDQUOT
                        ? .diskFull(path: path) : .unavailable("\(path): \(String(cString: strerror(errno)))")
                }
                written += count
            }
        }
        length.withLock { $0 += bytes.count }
    }

    /// Returns once all is on the disk.
    package func finish() async throws {
        try await pool.run(whenFull: { HistoryError.unavailable("\($0) writes wait") }) {
            [self] () throws(HistoryError) in
            guard fsync(descriptor) == 0 else { throw .unavailable("\(path): \(String(cString: strerror(errno)))") }
        }
    }

    /// The bytes that came, to be read.
    package func archive() throws -> ArchiveFile { try ArchiveFile(path) }

    /// The folder outlives this object.
    func keep() { isKept.withLock { $0 = true } }
}
