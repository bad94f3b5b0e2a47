internal import Base

/// Bytes on their way into the history, on its disk rather than in memory.
///
/// The file is the owner's alone and loses its name as soon as it is made: it is gone with the process, however that
/// ends.
package final class SpooledFile: Sendable {
    private let directory: String
    /// For errors only.
    private let path: String
    private let descriptor: Int32
    private let pool = BlockingPool(label: "menagerie.history.spool", width: 4, maximumPending: 64)
    private let length = Locked(0)

    /// Bytes of the disk that are left to others, so that saves go on while a file grows.
    static let reserve = 32 << 20

    /// Makes the file in a directory, which is made if absent. Blocks.
    init(in directory: String) throws(HistoryError) {
        try onDisk(FileSystem.makeDirectory(directory, flushing: false))
        self.directory = directory
        path = "\(directory)/\(ULID.next())"
        descriptor = try onDisk(FileSystem.create(path, []))
        FileSystem.remove(path)
    }

    deinit {
        FileSystem.closeDescriptor(descriptor)
    }

    static func directory(in history: String) -> String { history + "/imports" }

    /// Removes what processes left that were killed between making a file and taking its name. Blocks.
    static func removeLeftovers(in directory: String) {
        for name in FileSystem.names(in: directory) { FileSystem.remove("\(directory)/\(name)") }
    }

    /// Bytes that were appended.
    package var count: Int { length.withLock { $0 } }

    /// Adds bytes at the end. Not to be called again before it has returned. Throws `diskFull`, before the last of the
    /// disk is used up.
    package func append(_ bytes: [UInt8]) async throws(HistoryError) {
        let position = count
        try await pool.run { [self] () throws(HistoryError) in
            if let free = FileSystem.freeBytes(directory), free < bytes.count + Self.reserve {
                throw .diskFull(path: path)
            }
            try onDisk(FileSystem.write(bytes, to: descriptor, at: position, path))
        }
        length.withLock { $0 = position + bytes.count }
    }

    /// So many bytes, or fewer where the file ends before.
    package func bytes(at position: Int, count: Int) async throws(HistoryError) -> [UInt8] {
        try await pool.run { [self] () throws(HistoryError) in
            try onDisk(FileSystem.bytes(of: descriptor, at: position, count: count, path))
        }
    }
}

extension HistoryStore {
    /// Makes an empty file in the folder of the history.
    /// - Parameter expected: bytes that will be appended, where that is known.
    /// - Throws: `diskFull` where there is no room for so many.
    package func makeSpooledFile(expected: Int? = nil) async throws(HistoryError) -> SpooledFile {
        let (directory, path) = (configuration.directory, SpooledFile.directory(in: configuration.directory))
        return try await spooling.run { () throws(HistoryError) in
            if let expected, let free = FileSystem.freeBytes(directory), free - SpooledFile.reserve < expected {
                throw .diskFull(path: path)
            }
            return try SpooledFile(in: path)
        }
    }
}
