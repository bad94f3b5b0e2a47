package import Base
import Foundation

/// Files that go with jobs from one process to another, by way of the database that they share. Without such a database
/// each process has its own files alone.
package struct JobFiles: Sendable {
    private let shared: SharedFiles?
    private let root: String
    private let disk = BlockingPool(label: "menagerie.jobs.files", width: 2, maximumPending: 256)
    /// Files are fetched one after the other.
    private let bringing = AsyncTurns(width: 1, maximumWaiting: 64)

    /// Seconds after which files of a job without a row are not those of one that is being received.
    package static let reception = 86_400.0

    /// - Parameter kind: the folder of the files in the database, such as `videos`.
    package init(_ history: HistoryStore, _ kind: String) {
        (shared, root) = (history.files, kind + "/")
    }

    private func path(_ name: String, _ id: ULID) -> String { "\(root)\(id)/\(name)" }

    /// Whether a job's row would be there if it had been received.
    package static func isPastReception(_ id: ULID) -> Bool { id.date.timeIntervalSinceNow < -reception }

    /// Gives a file to the other processes.
    ///
    /// - Returns: whether they have it.
    /// - Throws: `FileError`, `HistoryError`.
    package func share(_ name: String, of id: ULID, at path: String) async throws -> Bool {
        guard let shared else { return false }
        let opened = try await blocking { () throws(FileError) -> (descriptor: Int32, size: Int)? in
            try FileSystem.openIfPresent(path).map { ($0, FileSystem.attributes(path)?.size ?? 0) }
        }
        guard let (descriptor, size) = opened else { return false }
        defer { FileSystem.closeDescriptor(descriptor) }
        try await shared.store(self.path(name, id), bytes: size) { position, count in
            try await blocking { try FileSystem.bytes(of: descriptor, at: position, count: count, path) }
        }
        return true
    }

    /// Whether the other processes have a file.
    package func holds(_ name: String, of id: ULID) async throws -> Bool {
        try await shared?.holds(path(name, id)) ?? false
    }

    /// Has a file be here that some process has shared; false where there is none.
    ///
    /// - Throws: `FileError`, `HistoryError`.
    package func bring(_ name: String, of id: ULID, to path: String) async throws -> Bool {
        if try await blocking({ FileSystem.attributes(path) != nil }) { return true }
        guard let shared, try await holds(name, of: id) else { return false }
        do {
            return try await bringing.run {
                let partial = path + ".partial"
                let created = try await blocking { () throws(FileError) -> Int32? in
                    guard FileSystem.attributes(path) == nil else { return nil }
                    try FileSystem.makeDirectory((path as NSString).deletingLastPathComponent)
                    FileSystem.remove(partial)
                    return try FileSystem.create(partial, [])
                }
                guard let descriptor = created else { return true }
                defer { FileSystem.closeDescriptor(descriptor) }
                do {
                    let isThere = try await shared.load(self.path(name, id)) { bytes, position in
                        try await blocking { try FileSystem.write(bytes, to: descriptor, at: position, partial) }
                    }
                    try await blocking {
                        if isThere { try FileSystem.publish(partial, as: path) } else { FileSystem.remove(partial) }
                    }
                    return isThere
                } catch {
                    try await blocking { FileSystem.remove(partial) }
                    throw error
                }
            }
        } catch let full as AsyncTurns.Full {
            throw HistoryError.overloaded(pending: full.waiting)
        }
    }

    /// Takes the files of a job from the other processes.
    package func remove(_ id: ULID) async throws {
        try await shared?.remove(under: path("", id))
    }

    /// Bytes of all files that the processes share; nil where each has its own.
    package var bytes: Int? {
        get async throws { try await shared?.bytes(under: root) }
    }

    /// Removes the files that no job has, of uploads that were cut off.
    func removeLeftovers(_ isKnown: (ULID) async throws -> Bool) async throws {
        guard let shared else { return }
        let ids = try await shared.paths(under: root).compactMap { path in
            ULID(String(path.dropFirst(root.count).prefix { $0 != "/" }))
        }
        for id in Set(ids) where Self.isPastReception(id) {
            if try await !isKnown(id) { try await remove(id) }
        }
    }

    private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await disk.run(whenFull: { HistoryError.overloaded(pending: $0) as any Error }) {
            () throws(any Error) in try body()
        }
    }
}
