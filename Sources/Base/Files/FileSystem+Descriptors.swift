internal import CSystemCalls
internal import Foundation
internal import Glibc

/// Calls for files that stay open. The path is used in errors only.
extension FileSystem {
    /// Opens a file for reading and writing; nil if it does not exist.
    package static func openIfPresent(_ path: String) throws(FileError) -> Int32? {
        let descriptor = retrying { open(path, O_RDWR | O_CLOEXEC) }
        if descriptor >= 0 { return descriptor }
        if errno == ENOENT { return nil }
        throw failure(errno, path)
    }

    /// Makes a file whose writes are on the disk when they return (O_DSYNC). They bypass the page cache (O_DIRECT) if
    /// the file system can do that. Then addresses, sizes and positions have to be multiples of its block size.
    package static func createDurable(_ path: String) throws(FileError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_DSYNC
        var descriptor = retrying { open(path, flags | menagerie_o_direct(), 0o600) }
        if descriptor < 0, errno == EINVAL {
            // The file may have been made before the flag was refused.
            remove(path)
            descriptor = retrying { open(path, flags, 0o600) }
        }
        guard descriptor >= 0 else { throw failure(errno, path) }
        return descriptor
    }

    /// Cuts the file off after `size` bytes.
    package static func truncate(_ descriptor: Int32, to size: Int, _ path: String) throws(FileError) {
        guard retrying({ ftruncate(descriptor, off_t(size)) }) == 0 else { throw failure(errno, path) }
    }

    /// Gives a file a size and reserves all of it on the disk. A missing file is made, readable by its owner only.
    package static func resize(_ path: String, to size: Int) throws(FileError) {
        let descriptor = retrying { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw failure(errno, path) }
        defer { close(descriptor) }
        try truncate(descriptor, to: size, path)
        guard size > 0 else { return }
        let code = posix_fallocate(descriptor, 0, off_t(size))
        guard code == 0 else { throw failure(code, path) }
    }

    /// Closes an open file and ignores errors of close(2).
    package static func closeDescriptor(_ descriptor: Int32) {
        close(descriptor)
    }

    /// Locks an open file until it is closed; false if another process has the lock or the file lost its name.
    package static func lock(_ descriptor: Int32) -> Bool {
        retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 && hasName(descriptor)
    }

    /// Whether an open file still has a name, so that it was not removed.
    package static func hasName(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    /// Locks a folder until the descriptor is closed; nil if it is missing or locked already.
    package static func lockDirectory(_ path: String) -> Int32? {
        guard let descriptor = try? opened(path, O_RDONLY | O_DIRECTORY) else { return nil }
        if lock(descriptor) { return descriptor }
        close(descriptor)
        return nil
    }

    /// Removes a folder and all in it, unless it is locked.
    package static func removeUnlockedDirectory(_ path: String) {
        guard let descriptor = lockDirectory(path) else { return }
        try? FileManager.default.removeItem(atPath: path)
        close(descriptor)
    }

    /// Writes all bytes to an open file, starting at `position`.
    package static func write(
        _ bytes: [UInt8], to descriptor: Int32, at position: Int, _ path: String
    ) throws(FileError) {
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(FileError) in try write(buffer, to: descriptor, at: position, path) }
        }.get()
    }

    /// Writes all bytes to an open file, starting at `position`.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at position: Int, _ path: String
    ) throws(FileError) {
        var offset = 0
        while offset < bytes.count {
            let written = retrying {
                pwrite(
                    descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, off_t(position + offset))
            }
            guard written > 0 else { throw failure(written == 0 ? ENOSPC : errno, path) }
            offset += written
        }
    }

    /// Reads `count` bytes, or fewer if the file ends earlier.
    package static func bytes(
        of descriptor: Int32, at position: Int, count: Int, _ path: String
    ) throws(FileError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno, path) }
        let size = max(0, min(count, Int(status.st_size) - position))
        var failed: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            while filled < size {
                let target = buffer.baseAddress.map { $0 + filled }
                let got = retrying { pread(descriptor, target, size - filled, off_t(position + filled)) }
                if got < 0 { failed = failure(errno, path) }
                guard got > 0 else { return }
                filled += got
            }
        }
        if let failed { throw failed }
        return bytes
    }
}
