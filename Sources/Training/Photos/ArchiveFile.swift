import Base
import Glibc

/// The bytes of an archive in a file. Reading them never blocks the cooperative pool.
package final class ArchiveFile: ArchiveSource {
    package let count: Int
    private let descriptor: Int32
    private let pool = BlockingPool(label: "menagerie.training.read", width: 2, maximumPending: 256)

    /// - Throws: ``TrainingError/folder(_:)`` if the file cannot be opened.
    package init(_ path: String) throws(TrainingError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .folder("\(path): \(String(cString: strerror(errno)))") }
        var status = stat()
        count = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    deinit { close(descriptor) }

    package func bytes(at position: Int, count: Int) async throws -> [UInt8] {
        try await pool.run(whenFull: { TrainingError.queueFull($0) }) { [descriptor] () throws(TrainingError) in
            do throws(FileError) {
                return try FileSystem.bytes(of: descriptor, at: position, count: count, "the archive")
            } catch {
                throw .folder("\(error)")
            }
        }
    }
}
