package import Base
internal import Foundation
internal import Glibc

/// The files of videos. Each video has a folder in the folder of the history, readable by its owner only.
///
/// A file gets its name when it is complete and on the disk. Calls block, so keep them off the cooperative pool.
package struct VideoFolder: Sendable {
    package enum File: String, Sendable, CaseIterable {
        /// The video as it was sent.
        case source
        /// The animals found in the video.
        case tracks = "tracks.json"
        case annotated = "annotated.mp4"
    }

    /// Space on the disk that is left free, in bytes.
    package static let reserve = 64 << 20

    package let path: String

    package init(history directory: String) { path = directory + "/videos" }

    /// The path of a file of a video, whether it exists or not.
    package func path(of file: File, _ id: ULID) -> String { "\(folder(id))/\(file.rawValue)" }

    private func folder(_ id: ULID) -> String { "\(path)/\(id)" }

    /// Makes the folder of a video and an empty, still unnamed file in it, open for reading and writing.
    package func begin(_ file: File, _ id: ULID) throws(HistoryError) -> OpenedFile {
        try onDisk(FileSystem.makeDirectory(folder(id)))
        let partial = path(of: file, id) + ".partial"
        FileSystem.remove(partial)
        return OpenedFile(descriptor: try onDisk(FileSystem.create(partial, [])), path: partial)
    }

    package func finish(_ file: File, _ id: ULID) throws(HistoryError) {
        try onDisk(FileSystem.publish(path(of: file, id) + ".partial", as: path(of: file, id)))
    }

    package func abandon(_ file: File, _ id: ULID) {
        FileSystem.remove(path(of: file, id) + ".partial")
    }

    /// Writes a whole file of a video durably and replaces an existing one.
    package func write(_ bytes: [UInt8], as file: File, _ id: ULID) throws(HistoryError) {
        try onDisk(DurableFile.replace(path(of: file, id), with: bytes))
    }

    /// The contents of a file. Nil if it does not exist.
    package func bytes(of file: File, _ id: ULID) throws(HistoryError) -> [UInt8]? {
        try onDisk(FileSystem.load(path(of: file, id), limit: 1 << 30))
    }

    package func exists(_ file: File, _ id: ULID) -> Bool {
        FileSystem.attributes(path(of: file, id)) != nil
    }

    /// Opens a file for reading. Nil if it does not exist.
    package func open(_ file: File, _ id: ULID) -> OpenedFile? {
        let path = path(of: file, id)
        let descriptor = FileSystem.retrying { Glibc.open(path, O_RDONLY | O_CLOEXEC) }
        return descriptor >= 0 ? OpenedFile(descriptor: descriptor, path: path) : nil
    }

    /// Removes all files of a video.
    package func remove(_ id: ULID) {
        try? FileManager.default.removeItem(atPath: folder(id))
    }

    /// Locks the folder of a video that is being received, so that no other process takes it for a leftover.
    package func lock(_ id: ULID) -> OpenedFile? {
        FileSystem.lockDirectory(folder(id)).map { OpenedFile(descriptor: $0, path: folder(id)) }
    }

    /// Removes all files of a video, unless its folder is locked.
    package func removeUnlocked(_ id: ULID) { FileSystem.removeUnlockedDirectory(folder(id)) }

    package var ids: [ULID] { FileSystem.names(in: path).compactMap { ULID($0) }.sorted() }

    /// The bytes that the files of a video take.
    ///
    /// - Parameter withPartial: whether unfinished files count too.
    package func bytes(of id: ULID, withPartial: Bool = true) -> Int {
        FileSystem.names(in: folder(id)).filter { withPartial || !$0.hasSuffix(".partial") }.reduce(0) {
            $0 + (FileSystem.attributes("\(folder(id))/\($1)")?.size ?? 0)
        }
    }

    /// Marks a file as being read until its descriptor is closed. Returns false if its video is about to be removed.
    package static func startReading(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) == 0 }

    /// Prevents new readers of a video as long as the result lives. Nil if any process reads the video or works on it.
    package func holdUnread(_ id: ULID) -> [OpenedFile]? {
        let files = [File.source, .annotated].compactMap { open($0, id) }
        return files.allSatisfy { $0.lock() } ? files : nil
    }

    /// Whether the disk has room for this many more bytes.
    package func hasRoom(for bytes: Int) -> Bool {
        let parent = FileSystem.isDirectory(path) ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
        return FileSystem.freeBytes(parent).map { $0 - Self.reserve >= bytes } ?? true
    }
}

/// An open file that is closed with its last reference.
package final class OpenedFile: Sendable {
    package let descriptor: Int32
    private let path: String

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { FileSystem.closeDescriptor(descriptor) }

    /// Writes bytes at a position. Blocks.
    package func write(_ bytes: some Collection<UInt8> & Sendable, at position: Int) throws(HistoryError) {
        try onDisk(FileSystem.write(Array(bytes), to: descriptor, at: position, path))
    }

    package var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Locks the file exclusively until it is closed. Returns false if another process or descriptor holds a lock.
    package func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}
