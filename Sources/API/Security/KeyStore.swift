import Base
import Foundation
import Glibc

/// The keys in force, and the file that they come from.
package final class KeyStore: Sendable {
    /// What tells one version of the file from the next.
    private struct Stamp: Equatable {
        let device, node: UInt64
        let size, seconds, nanoseconds: Int
    }

    private struct State {
        var keys: [AccessKey]
        /// Of the file when it was last looked at, whether it could be read or not.
        var stamp: Stamp?
    }

    package let file: KeyFile
    private let state: Locked<State>

    /// - Throws: ``KeyFileError`` when the file cannot be read.
    package init(file: KeyFile) throws(KeyFileError) {
        self.file = file
        // Looked at before it is read: a change in between is noticed later.
        let stamp = Self.stamp(file.path)
        state = Locked(State(keys: try file.load(), stamp: stamp))
    }

    package var keys: [AccessKey] { state.withLock { $0.keys } }

    /// Reads the file again. Blocks for as long as a small file takes.
    /// - Throws: ``KeyFileError`` when it cannot be used; then the keys before stay in force, so that a slip of an editor
    ///   neither locks everybody out nor lets anybody in.
    package func reload() throws(KeyFileError) {
        let stamp = Self.stamp(file.path)
        state.withLock { $0.stamp = stamp }
        let keys = try file.load()
        state.withLock { $0.keys = keys }
    }

    /// Reads the file again where it is another one than when it was last looked at, which costs one system call.
    /// - Returns: whether it was read.
    /// - Throws: as ``reload()``, once for each version of the file.
    package func reloadIfChanged() throws(KeyFileError) -> Bool {
        let stamp = Self.stamp(file.path)
        guard state.withLock({ $0.stamp != stamp }) else { return false }
        try reload()
        return true
    }

    /// The key of that digest. It is compared with every key, each in the same time.
    func key(of digest: KeyDigest) -> AccessKey? {
        var found: AccessKey?
        for key in keys where key.digest.isEqual(to: digest) { found = key }
        return found
    }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            device: UInt64(status.st_dev), node: UInt64(status.st_ino), size: Int(status.st_size),
            seconds: Int(status.st_mtim.tv_sec), nanoseconds: Int(status.st_mtim.tv_nsec))
    }
}
