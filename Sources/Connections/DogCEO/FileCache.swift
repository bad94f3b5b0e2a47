import Base
import Foundation

/// Copies of another server's documents in a folder. The oldest make room for new ones.
struct FileCache: Sendable {
    private let directory: URL
    private let capacity: Int
    private let pool = BlockingPool(label: "menagerie.file-cache", width: 1, maximumPending: 256)

    /// - Parameter capacity: the largest sum of all files, in bytes.
    init(directory: String, capacity: Int) {
        self.directory = URL(fileURLWithPath: directory, isDirectory: true)
        self.capacity = capacity
    }

    /// A copy and its age in seconds; nil if there is none.
    /// - Parameter name: a plain file name.
    func read(_ name: String) async -> (bytes: [UInt8], age: TimeInterval)? {
        let copy = await pool.runIfRoom { () -> (bytes: [UInt8], age: TimeInterval)? in
            let file = directory.appendingPathComponent(name)
            guard let data = try? Data(contentsOf: file) else { return nil }
            let changed = try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
            return (Array(data), changed.map { -$0.timeIntervalSinceNow } ?? .infinity)
        }
        return copy ?? nil
    }

    /// Keeps a copy. If the disk is full or too many write at the same time, only the copy is lost.
    func write(_ bytes: [UInt8], as name: String) async {
        _ = await pool.runIfRoom {
            // Only the owner may read the folder, because it shows which breeds somebody viewed.
            let rights: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try? FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: rights)
            try? FileManager.default.setAttributes(rights, ofItemAtPath: directory.path)
            try? Data(bytes).write(to: directory.appendingPathComponent(name), options: .atomic)
            FileSystem.removeOldest(in: directory.path, beyond: capacity)
        }
    }
}
