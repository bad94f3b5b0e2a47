import Glibc

/// A folder below which files are opened. No path leads to a file outside it.
///
/// Each segment is opened relative to the one before, without following symbolic links. So neither a link nor a folder
/// renamed meanwhile leads out.
final class RootDirectory: Sendable {
    enum Failure: Error, Hashable {
        /// The file does not exist or must not be seen.
        case notFound
        /// The path names a folder.
        case directory
        case system(SystemCallError)
    }

    private let descriptor: CInt

    /// - Parameter path: the folder. The path may go through symbolic links.
    init(path: String) throws(SystemCallError) {
        descriptor = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCallError(call: "open", code: errno) }
    }

    deinit {
        _ = close(descriptor)
    }

    /// The segments of a path relative to the root. The result is nil for "..", hidden names (except `.well-known`, RFC
    /// 8615), NUL, an encoded slash and an empty segment. An empty last segment, as in "docs/", becomes `index.html`.
    static func segments(of path: String) -> [String]? {
        // The split works on bytes: as a Character, a slash with a combining mark is not a slash.
        var segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if segments.last?.isEmpty == true { segments[segments.count - 1] = "index.html" }
        for segment in segments {
            guard let first = segment.utf8.first, first != UInt8(ascii: ".") || segment == ".well-known",
                !segment.utf8.contains(0), !segment.lowercased().contains("%2f")
            else { return nil }
        }
        return segments
    }

    /// Opens a regular file for reading.
    /// - Parameter segments: the result of ``segments(of:)``.
    func open(_ segments: [String]) throws(Failure) -> (file: OpenFile, identity: FileIdentity) {
        guard let last = segments.last else { throw .notFound }
        var folder = descriptor
        defer { if folder != descriptor { _ = close(folder) } }
        for segment in segments.dropLast() {
            let next = openat(folder, segment, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw Self.failure("openat", errno) }
            if folder != descriptor { _ = close(folder) }
            folder = next
        }
        // O_NONBLOCK keeps a FIFO from holding the loop.
        let opened = openat(folder, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard opened >= 0 else { throw Self.failure("openat", errno) }
        var status = stat()
        guard fstat(opened, &status) == 0 else {
            let code = errno
            _ = close(opened)
            throw .system(SystemCallError(call: "fstat", code: code))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            _ = close(opened)
            throw status.st_mode & S_IFMT == S_IFDIR ? .directory : .notFound
        }
        return (OpenFile(takingOver: opened, size: Int(status.st_size)), FileIdentity(status))
    }

    /// The identity of the file at that path now, from one system call; nil if there is none. It only tells whether a
    /// file that ``open(_:)`` gave is still the same, because folders on the way may be links here.
    func identity(_ segments: [String]) -> FileIdentity? {
        var status = stat()
        guard fstatat(descriptor, segments.joined(separator: "/"), &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return nil
        }
        return FileIdentity(status)
    }

    private static func failure(_ call: String, _ code: CInt) -> Failure {
        switch code {
        case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EACCES, EPERM, ENXIO, EINVAL: .notFound
        default: .system(SystemCallError(call: call, code: code))
        }
    }
}
