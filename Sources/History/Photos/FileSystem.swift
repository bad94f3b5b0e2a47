internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The system calls of durable file writing, with errors in our words.
enum FileSystem {
    /// Makes a directory and its parents, readable by the owner only; one that exists is left as it is.
    static func makeDirectory(_ path: String) throws(HistoryError) {
        if isDirectory(path) { return }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if parent != path { try makeDirectory(parent) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(errno, path) }
        try synchronizeDirectory(parent)
    }

    static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Writes a new file without flushing it and returns its open descriptor.
    static func create(_ path: String, _ bytes: [UInt8]) throws(HistoryError) -> Int32 {
        let descriptor = retrying { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw failure(errno, path) }
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                retrying { write(descriptor, buffer.baseAddress.map { $0 + offset }, bytes.count - offset) }
            }
            guard written > 0 else {
                let error = failure(written == 0 ? ENOSPC : errno, path)
                close(descriptor)
                unlink(path)
                throw error
            }
            offset += written
        }
        return descriptor
    }

    /// Flushes an open file to the disk and closes it.
    static func synchronizeAndClose(_ descriptor: Int32, _ path: String) throws(HistoryError) {
        defer { close(descriptor) }
        guard retrying({ fsync(descriptor) }) == 0 else { throw failure(errno, path) }
    }

    /// Flushes the names in a directory to the disk.
    static func synchronizeDirectory(_ path: String) throws(HistoryError) {
        let descriptor = retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw failure(errno, path) }
        try synchronizeAndClose(descriptor, path)
    }

    static func move(_ source: String, to target: String) throws(HistoryError) {
        guard rename(source, target) == 0 else { throw failure(errno, target) }
    }

    /// Like `move`; a source that another process was quicker to move is no matter.
    static func moveIfPresent(_ source: String, to target: String) throws(HistoryError) {
        guard rename(source, target) == 0 || errno == ENOENT else { throw failure(errno, target) }
    }

    /// Removes a file; one that is absent is no matter.
    static func remove(_ path: String) {
        unlink(path)
    }

    /// Flushes a finished file, gives it its name and flushes that.
    static func publish(_ partial: String, as target: String) throws(HistoryError) {
        let descriptor = retrying { open(partial, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw failure(errno, partial) }
        try synchronizeAndClose(descriptor, partial)
        try move(partial, to: target)
        try synchronizeDirectory(URL(fileURLWithPath: target).deletingLastPathComponent().path)
    }

    /// The bytes of a file; nil when there is none. Throws `photoTooLarge` beyond the limit.
    static func load(_ path: String, limit: Int) throws(HistoryError) -> [UInt8]? {
        let descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(errno, path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno, path) }
        let size = Int(status.st_size)
        guard size <= limit else { throw .photoTooLarge(bytes: size, limit: limit) }
        var failed: HistoryError?
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let position = buffer.baseAddress.map { $0 + count }
                let got = retrying { read(descriptor, position, size - count) }
                if got < 0 { failed = failure(errno, path) }
                guard got > 0 else { return }
                count += got
            }
        }
        if let failed { throw failed }
        return bytes
    }

    /// Size in bytes and time of the last change in seconds since 1970; nil when there is no such file.
    static func attributes(_ path: String) -> (size: Int, modified: Int)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return (Int(status.st_size), Int(status.st_mtim.tv_sec))
    }

    /// Sets the time of the last change to now.
    static func touch(_ path: String) {
        utimensat(AT_FDCWD, path, nil, 0)
    }

    static func isFull(_ directory: String) -> Bool {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return false }
        return Int(status.f_bavail) * Int(status.f_frsize) < 64 * 1024
    }

    static func isWritable(_ directory: String) -> Bool {
        access(directory, W_OK) == 0
    }

    static func failure(_ code: Int32, _ path: String) -> HistoryError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull(path: path)
        case EROFS, EACCES, EPERM: .readOnly(path: path)
        default: .unavailable("\(path): \(String(cString: strerror(code)))")
        }
    }

    private static func retrying<Number: SignedInteger>(_ call: () -> Number) -> Number {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
