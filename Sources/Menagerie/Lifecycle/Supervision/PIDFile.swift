import Base
import Foundation

/// `menagerie.pid` in the data directory: the process that serves it, and its addresses.
///
/// The serving process holds a lock on the file (fcntl(2)), which ends with the process however that ends. Only the
/// lock proves that a service runs; a file of a killed service proves nothing. The process's number comes from the
/// kernel, which knows the lock's holder, and not from the file.
final class PIDFile: Sendable {
    static let name = "menagerie.pid"

    private let descriptor: CInt

    /// Takes the lock. Makes the data directory if it is missing.
    ///
    /// - Throws: ``PIDFileError/taken(_:)`` if another process serves the directory.
    init(in directory: String) throws(PIDFileError) {
        let path = directory + "/" + Self.name
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unusable(path: directory, reason: error.localizedDescription)
        }
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unusable(path: path, reason: ProcessError.text(errno)) }
        var lock = Self.wholeFile
        guard fcntl(descriptor, F_SETLK, &lock) == 0 else {
            let reason = ProcessError.text(errno)
            close(descriptor)
            if let other = try RunningService(in: directory) { throw .taken(other) }
            throw .unusable(path: path, reason: reason)
        }
        write(urls: [], log: nil)
    }

    deinit { close(descriptor) }

    /// Writes the addresses of the service.
    ///
    /// - Parameter log: the file to which the process writes its log.
    func write(urls: [String], log: String?) {
        let lines = [String(getpid()), Date().formatted(.iso8601), log ?? ""] + urls
        put(lines.joined(separator: "\n") + "\n")
    }

    /// Empties the file, because the service has stopped. Another process may wait for its lock, so it is not deleted.
    func clear() { put("\n") }

    /// Replaces the text. The file never gets empty, so that it keeps its space if the disk is full.
    private func put(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) == bytes.count else { return }
        ftruncate(descriptor, off_t(bytes.count))
    }

    fileprivate static var wholeFile: flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}

/// A running service, as its ``PIDFile`` describes it.
struct RunningService: Sendable, Equatable {
    /// 0 if the process belongs to another container and has no number here.
    let process: pid_t
    /// Empty while the service starts.
    let urls: [String]
    /// Nil if the service writes its log to no file.
    let log: String?
    /// The time of its start, or of its readiness (RFC 3339).
    let since: String

    /// The service of a data directory. Nil if none runs.
    ///
    /// - Throws: ``PIDFileError/unusable(path:reason:)``.
    init?(in directory: String) throws(PIDFileError) {
        let path = directory + "/" + PIDFile.name
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .unusable(path: path, reason: ProcessError.text(errno))
        }
        defer { close(descriptor) }
        var lock = PIDFile.wholeFile
        guard fcntl(descriptor, F_GETLK, &lock) == 0 else {
            throw .unusable(path: path, reason: ProcessError.text(errno))
        }
        guard lock.l_type != Int16(F_UNLCK) else { return nil }
        process = max(0, lock.l_pid)
        let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        since = lines.count > 1 ? lines[1] : ""
        log = lines.count > 2 && !lines[2].isEmpty ? lines[2] : nil
        urls = lines.dropFirst(3).filter { !$0.isEmpty }
    }
}

extension RunningService: CustomStringConvertible {
    /// `process 4711, http://127.0.0.1:8080/, since 2026-03-01T12:00:00Z`
    var description: String {
        let who = process > 0 ? "process \(process)" : "a process of another container"
        let place = urls.isEmpty ? "still starting" : urls.joined(separator: " ")
        return [who, place, since.isEmpty ? "" : "since \(since)"].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

/// The reason why a ``PIDFile`` cannot be used.
enum PIDFileError: Error, CustomStringConvertible {
    case taken(RunningService)
    case unusable(path: String, reason: String)

    var description: String {
        switch self {
        case .taken(let service): "The service runs already: \(service). `menagerie stop` ends it."
        case .unusable(let path, let reason): "\(path) cannot be used: \(reason)."
        }
    }
}
