import Base

/// Bytes on their way into the history, on its disk rather than in memory.
///
/// Only the owner can read the file. It is unlinked right after its creation, so it disappears with the process,
/// however that ends.
package final class SpooledFile: ArchiveSource {
    private let directory: String
    /// Used only in errors.
    private let path: String
    private let descriptor: Int32
    private let pool = BlockingPool(label: "menagerie.history.spool", width: 4, maximumPending: 64)
    private let length = Locked(0)

    /// Makes the file in a directory, which is created if absent. Blocks.
    init(in directory: String) throws(HistoryError) {
        try onDisk(FileSystem.makeDirectory(directory, flushing: false))
        self.directory = directory
        path = "\(directory)/\(ULID.next())"
        descriptor = try onDisk(FileSystem.create(path, []))
        FileSystem.remove(path)
    }

    deinit { FileSystem.closeDescriptor(descriptor) }

    static func directory(in history: String) -> String { history + "/imports" }

    /// Removes the files of processes that were killed between making a file and unlinking it. Blocks.
    static func removeLeftovers(in directory: String) {
        for name in FileSystem.names(in: directory) { FileSystem.remove("\(directory)/\(name)") }
    }

    /// The number of bytes appended so far.
    package var count: Int { length.withLock { $0 } }

    /// Adds bytes at the end. Wait for it to return before the next call. Throws `diskFull` before the disk is entirely
    /// full.
    package func append(_ bytes: [UInt8]) async throws(HistoryError) {
        let position = count
        try await pool.run { [self] () throws(HistoryError) in
            try onDisk(FileSystem.requireRoom(for: bytes.count, in: directory, path))
            try onDisk(FileSystem.write(bytes, to: descriptor, at: position, path))
        }
        length.withLock { $0 = position + bytes.count }
    }

    /// Up to `count` bytes. Fewer are returned at the end of the file.
    package func bytes(at position: Int, count: Int) async throws(HistoryError) -> [UInt8] {
        try await pool.run { [self] () throws(HistoryError) in
            try onDisk(FileSystem.bytes(of: descriptor, at: position, count: count, path))
        }
    }
}

extension HistoryStore {
    /// Makes an empty file in the folder of the history.
    /// - Parameter expected: the number of bytes that will be appended, if known.
    /// - Throws: `diskFull` if there is no room for the expected bytes.
    package func makeSpooledFile(expected: Int? = nil) async throws(HistoryError) -> SpooledFile {
        let (directory, path) = (configuration.directory, SpooledFile.directory(in: configuration.directory))
        return try await spooling.run { () throws(HistoryError) in
            if let expected { try onDisk(FileSystem.requireRoom(for: expected, in: directory, path)) }
            return try SpooledFile(in: path)
        }
    }
}
