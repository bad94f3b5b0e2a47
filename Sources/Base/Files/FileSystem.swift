internal import CSystemCalls
internal import Foundation
internal import Glibc

/// The system calls of durable file writing. Their errors name the path. All of them block.
package enum FileSystem {
    /// Makes a directory and its parents, readable by the owner only. An existing directory stays as it is.
    /// - Parameter flushing: whether to flush the names to the disk; otherwise the caller does that.
    package static func makeDirectory(_ path: String, flushing: Bool = true) throws(FileError) {
        if isDirectory(path) { return }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if parent != path { try makeDirectory(parent, flushing: flushing) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(errno, path) }
        if flushing { try synchronizeDirectory(parent) }
    }

    /// Whether there is a directory at the path, or a link to one.
    package static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Writes a new file without flushing it and returns its open descriptor.
    package static func create(_ path: String, _ bytes: [UInt8]) throws(FileError) -> Int32 {
        guard let descriptor = try createIfAbsent(path, bytes) else { throw failure(EEXIST, path) }
        return descriptor
    }

    /// Like `create`, but returns nil if the file exists.
    package static func createIfAbsent(_ path: String, _ bytes: [UInt8]) throws(FileError) -> Int32? {
        let descriptor = retrying { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else {
            if errno == EEXIST { return nil }
            throw failure(errno, path)
        }
        do throws(FileError) {
            try write(bytes, to: descriptor, at: 0, path)
        } catch {
            close(descriptor)
            unlink(path)
            throw error
        }
        return descriptor
    }

    /// Flushes an open file to the disk and closes it.
    package static func synchronizeAndClose(_ descriptor: Int32, _ path: String) throws(FileError) {
        defer { close(descriptor) }
        try synchronize(descriptor, path)
    }

    /// Flushes an open file to the disk.
    package static func synchronize(_ descriptor: Int32, _ path: String) throws(FileError) {
        guard retrying({ fsync(descriptor) }) == 0 else { throw failure(errno, path) }
    }

    /// Flushes the names in a directory to the disk.
    package static func synchronizeDirectory(_ path: String) throws(FileError) {
        try synchronizeAndClose(try opened(path, O_RDONLY | O_DIRECTORY), path)
    }

    /// Opens a file or directory that has to exist.
    static func opened(_ path: String, _ flags: CInt) throws(FileError) -> Int32 {
        let descriptor = retrying { open(path, flags | O_CLOEXEC) }
        guard descriptor >= 0 else { throw failure(errno, path) }
        return descriptor
    }

    /// Renames a file within its file system, and replaces any file of the new name.
    package static func move(_ source: String, to target: String) throws(FileError) {
        guard rename(source, target) == 0 else { throw failure(errno, target) }
    }

    /// Like `move`, but does nothing if the source is gone, because another process moved it first.
    package static func moveIfPresent(_ source: String, to target: String) throws(FileError) {
        guard rename(source, target) == 0 || errno == ENOENT else { throw failure(errno, target) }
    }

    /// The names in a directory; empty if it does not exist.
    package static func names(in directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }

    /// Removes a file if it exists.
    package static func remove(_ path: String) {
        unlink(path)
    }

    /// Removes a directory if it exists and is empty.
    package static func removeEmptyDirectory(_ path: String) {
        rmdir(path)
    }

    /// Whether a new file may take the path: it is free or belongs to a plain file, not to a folder or a device.
    package static func isReplaceable(_ path: String) -> Bool {
        status(of: path).map { $0.st_mode & S_IFMT == S_IFREG } ?? true
    }

    /// Whether a device, a socket or a pipe is in the place of a file, so that opening or reading it may never end. A
    /// pipe that the shell gives as `/dev/fd/63` has a writer.
    package static func mayBlock(_ path: String) -> Bool {
        guard let status = status(of: path) else { return false }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFDIR: return false
        case S_IFIFO: return !isDevice(path)
        default: return true
        }
    }

    /// Whether the path is a device's or, like `/dev/stdin` and `/dev/fd/63`, an open descriptor's. `/dev/shm` is a
    /// folder of ordinary files in memory.
    package static func isDevice(_ path: String) -> Bool {
        path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")
    }

    /// Whether the path is on a file system that nobody can write to.
    package static func isReadOnly(_ path: String) -> Bool { access(path, W_OK) != 0 && errno == EROFS }

    /// Removes the oldest files of a folder and its subfolders, until their sizes sum up to at most `limit` bytes.
    package static func removeOldest(in directory: String, beyond limit: Int) {
        let keys: [URLResourceKey] = [.contentModificationDateKey, .fileSizeKey, .isRegularFileKey]
        let files = FileManager.default.enumerator(at: URL(filePath: directory), includingPropertiesForKeys: keys)
        var found: [(file: URL, date: Date, size: Int)] = []
        while let file = files?.nextObject() as? URL {
            guard let values = try? file.resourceValues(forKeys: Set(keys)), values.isRegularFile == true else {
                continue
            }
            found.append((file, values.contentModificationDate ?? .distantPast, values.fileSize ?? 0))
        }
        var excess = found.reduce(-limit) { $0 + $1.size }
        for (file, _, size) in found.sorted(by: { $0.date < $1.date }) where excess > 0 {
            try? FileManager.default.removeItem(at: file)
            excess -= size
        }
    }

    /// Removes a file that has to exist.
    package static func delete(_ path: String) throws(FileError) {
        guard unlink(path) == 0 else { throw failure(errno, path) }
    }

    /// Flushes a finished file, renames it and flushes its new name.
    package static func publish(_ partial: String, as target: String) throws(FileError) {
        try synchronizeAndClose(try opened(partial, O_RDONLY), partial)
        try move(partial, to: target)
        try synchronizeDirectory(URL(fileURLWithPath: target).deletingLastPathComponent().path)
    }

    /// The bytes of a file; nil without the file. Throws ``FileError/tooLarge(path:bytes:limit:)``.
    package static func load(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
        let descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(errno, path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno, path) }
        let size = Int(status.st_size)
        guard size <= limit else { throw .tooLarge(path: path, bytes: size, limit: limit) }
        return try bytes(of: descriptor, at: 0, count: size, path)
    }

    /// The size in bytes, and the time of the last change in seconds since 1970; nil if the file does not exist.
    package static func attributes(_ path: String) -> (size: Int, modified: Int)? {
        status(of: path).map { (Int($0.st_size), Int($0.st_mtim.tv_sec)) }
    }

    /// The number of the file system that holds a file or directory; nil if that does not exist.
    package static func device(of path: String) -> UInt64? {
        status(of: path).map { UInt64($0.st_dev) }
    }

    /// The number of a file or directory on its file system (the inode); nil if it does not exist.
    package static func inode(of path: String) -> UInt64? {
        status(of: path).map { UInt64($0.st_ino) }
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// Sets the time of the last change to now.
    package static func touch(_ path: String) {
        utimensat(AT_FDCWD, path, nil, 0)
    }

    /// Flushes the whole file system that holds the directory (syncfs).
    package static func synchronizeFileSystem(_ directory: String) throws(FileError) {
        let descriptor = try opened(directory, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        guard retrying({ menagerie_syncfs(descriptor) }) == 0 else { throw failure(errno, directory) }
    }

    /// Whether the directory's file system has less than 64 KiB left; false if that is unknown.
    package static func isFull(_ directory: String) -> Bool {
        freeBytes(directory).map { $0 < 64 * 1024 } ?? false
    }

    /// The bytes that are left on the directory's file system; nil if that is unknown.
    package static func freeBytes(_ directory: String) -> Int? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// The bytes of a disk that stay free while something large comes in, so that saves go on meanwhile.
    package static let reserve = 32 << 20

    /// - Parameter path: the file, for the error.
    /// - Throws: ``FileError/diskFull(path:)`` if this many more bytes in the directory would take from the reserve.
    package static func requireRoom(for bytes: Int, in directory: String, _ path: String) throws(FileError) {
        if let free = freeBytes(directory), free - reserve < bytes { throw .diskFull(path: path) }
    }

    /// Whether the permissions let the process write to the directory.
    package static func isWritable(_ directory: String) -> Bool {
        access(directory, W_OK) == 0
    }

    /// Whether the permissions of a directory above keep the process from knowing whether the file exists.
    package static func isHidden(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == EACCES }

    /// The error for an errno(3).
    package static func failure(_ code: Int32, _ path: String) -> FileError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull(path: path)
        case EROFS, EACCES, EPERM: .readOnly(path: path)
        default: .failed(path: path, code: code)
        }
    }

    /// Repeats a system call that a signal interrupted.
    package static func retrying<Number: SignedInteger>(_ call: () -> Number) -> Number {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
