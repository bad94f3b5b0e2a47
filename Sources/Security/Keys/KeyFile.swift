import Base
import Foundation
import Glibc

/// The keys in a file that only its owner can read.
package struct KeyFile: KeyRepository {
    package let path: String
    package var place: String { "the file \(path)" }

    package init(path: String) {
        self.path = path
    }

    /// Whether there may be keys: also if the file is a link to nothing, or in a folder that the process may not search.
    package var exists: Bool {
        var status = stat()
        return lstat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR
    }

    /// Whether users other than its owner may read the file.
    package var isReadableByOthers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    /// Reads the file. Blocks for a moment.
    package func read() throws(KeyError) -> [UInt8]? {
        guard exists else { return nil }
        guard !FileSystem.mayBlock(path) else { throw .unreadable(place, "it is a pipe, a socket or a device") }
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            return [UInt8](try handle.read(upToCount: KeyDocument.maximumBytes + 1) ?? Data())
        } catch {
            throw .unreadable(place, error.localizedDescription)
        }
    }

    /// Changes the file. Blocks while another process changes it.
    package func change(_ body: ([UInt8]?) throws(KeyError) -> [UInt8]?) throws(KeyError) {
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(place, error.localizedDescription)
        }
        // The folder is locked, because the file itself is replaced.
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw .unwritable(place, String(cString: strerror(errno))) }
        defer { close(lock) }
        guard let changed = try body(try read()) else { return }
        do {
            try DurableFile.replace(path, with: changed)
        } catch {
            throw .unwritable(place, "\(error)")
        }
    }
}
