package import Base
import Foundation

/// The files of jobs. Processes that share a database pass the files on through it. Without such a database each
/// process has only its own files.
package struct JobFiles: Sendable {
    private let shared: SharedFiles?
    private let root: String
    private let disk = BlockingPool(label: "menagerie.jobs.files", width: 2, maximumPending: 256)
    /// Fetches one file at a time.
    private let bringing = AsyncTurns(width: 1, maximumWaiting: 64)

    /// The longest time for receiving a job's files, in seconds. Files without a row are removed only after it.
    package static let reception = 86_400.0

    /// - Parameter kind: the folder of the files in the database, such as `videos`.
    package init(_ history: HistoryStore, _ kind: String) {
        (shared, root) = (history.files, kind + "/")
    }

    private func path(_ name: String, _ id: ULID) -> String { "\(root)\(id)/\(name)" }

    /// Whether a job is so old that it would have a row if it had been received completely.
    package static func isPastReception(_ id: ULID) -> Bool { id.date.timeIntervalSinceNow < -reception }

    /// Copies a file into the database, from which other processes fetch it.
    ///
    /// - Returns: false if there is no shared database or no file.
    /// - Throws: `FileError`, `HistoryError`.
    package func share(_ name: String, of id: ULID, at path: String) async throws -> Bool {
        guard let shared else { return false }
        let opened = try await disk.perform { () throws(FileError) -> (descriptor: Int32, size: Int)? in
            try FileSystem.openIfPresent(path).map { ($0, FileSystem.attributes(path)?.size ?? 0) }
        }
        guard let (descriptor, size) = opened else { return false }
        defer { FileSystem.closeDescriptor(descriptor) }
        try await shared.store(self.path(name, id), bytes: size) { position, count in
            try await disk.perform { try FileSystem.bytes(of: descriptor, at: position, count: count, path) }
        }
        return true
    }

    /// Whether the database has a file.
    package func holds(_ name: String, of id: ULID) async throws -> Bool {
        try await shared?.holds(path(name, id)) ?? false
    }

    /// Fetches a file that another process has shared, unless it is here already.
    ///
    /// - Returns: whether the file is here now.
    /// - Throws: `FileError`, `HistoryError`.
    package func bring(_ name: String, of id: ULID, to path: String) async throws -> Bool {
        if try await isHere(path) { return true }
        guard let shared, try await holds(name, of: id) else { return false }
        do {
            return try await bringing.run {
                guard let folder = try await lockFolder(of: path) else { return true }
                defer { FileSystem.closeDescriptor(folder) }
                let partial = path + ".partial"
                let descriptor = try await disk.perform { () throws(FileError) -> Int32 in
                    FileSystem.remove(partial)
                    return try FileSystem.create(partial, [])
                }
                defer { FileSystem.closeDescriptor(descriptor) }
                do {
                    let isThere = try await shared.load(self.path(name, id)) { bytes, position in
                        try await disk.perform { try FileSystem.write(bytes, to: descriptor, at: position, partial) }
                    }
                    try await disk.perform {
                        if isThere { try FileSystem.publish(partial, as: path) } else { FileSystem.remove(partial) }
                    }
                    return isThere
                } catch {
                    try await disk.perform { FileSystem.remove(partial) }
                    throw error
                }
            }
        } catch let full as AsyncTurns.Full {
            throw HistoryError.overloaded(pending: full.waiting)
        }
    }

    private func isHere(_ path: String) async throws -> Bool {
        try await disk.perform { FileSystem.attributes(path) != nil }
    }

    /// Locks the folder of a file that is about to be fetched. Processes may share the folder, so this waits while
    /// another one fetches a file into it.
    ///
    /// - Returns: nil if the file is here now.
    private func lockFolder(of path: String) async throws -> Int32? {
        let folder = (path as NSString).deletingLastPathComponent
        while true {
            let lock = try await disk.perform { () throws(FileError) -> Int32? in
                try FileSystem.makeDirectory(folder)
                guard let lock = FileSystem.lockDirectory(folder) else { return nil }
                if FileSystem.attributes(path) == nil { return lock }
                FileSystem.closeDescriptor(lock)
                return nil
            }
            if let lock { return lock }
            if try await isHere(path) { return nil }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Removes the files of a job from the database.
    package func remove(_ id: ULID) async throws {
        try await shared?.remove(under: path("", id))
    }

    /// The size of all shared files in bytes. Nil without a shared database.
    package var bytes: Int? {
        get async throws { try await shared?.bytes(under: root) }
    }

    /// Removes the shared files of interrupted uploads, which have no job.
    func removeLeftovers(_ isKnown: (ULID) async throws -> Bool) async throws {
        guard let shared else { return }
        let ids = try await shared.paths(under: root).compactMap { path in
            ULID(String(path.dropFirst(root.count).prefix { $0 != "/" }))
        }
        for id in Set(ids) where Self.isPastReception(id) {
            if try await !isKnown(id) { try await remove(id) }
        }
    }
}
