package import Base
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The files of videos, each video's in a folder of its own in the folder of the history, readable by their owner only.
///
/// Files get their names once they are whole and on the disk. Blocking calls: not for the cooperative pool.
package struct VideoFolder: Sendable {
    /// What there may be of one video.
    package enum File: String, Sendable, CaseIterable {
        /// As it was sent.
        case source
        /// What was found in it.
        case tracks = "tracks.json"
        case annotated = "annotated.mp4"
    }

    /// Bytes of the disk that are left to others.
    private static let reserve = 64 << 20

    package let path: String

    package init(history directory: String) {
        path = directory + "/videos"
    }

    /// Where a file of a video lies, there or not.
    package func path(of file: File, _ id: ULID) -> String { "\(folder(id))/\(file.rawValue)" }

    private func folder(_ id: ULID) -> String { "\(path)/\(id)" }

    /// Makes the folder of a video and an empty file in it that has no name of its own yet, open for reading and writing.
    package func begin(_ file: File, _ id: ULID) throws(HistoryError) -> OpenedFile {
        try onDisk(FileSystem.makeDirectory(folder(id)))
        let partial = path(of: file, id) + ".partial"
        FileSystem.remove(partial)
        return OpenedFile(descriptor: try onDisk(FileSystem.create(partial, [])), path: partial)
    }

    /// Gives a file that was begun its name.
    package func finish(_ file: File, _ id: ULID) throws(HistoryError) {
        try onDisk(FileSystem.publish(path(of: file, id) + ".partial", as: path(of: file, id)))
    }

    /// Forgets a file that was begun.
    package func abandon(_ file: File, _ id: ULID) {
        FileSystem.remove(path(of: file, id) + ".partial")
    }

    /// Writes a file of a video as a whole, durably, in place of what was there.
    package func write(_ bytes: [UInt8], as file: File, _ id: ULID) throws(HistoryError) {
        try onDisk(DurableFile.replace(path(of: file, id), with: bytes))
    }

    /// nil where there is no such file.
    package func bytes(of file: File, _ id: ULID) throws(HistoryError) -> [UInt8]? {
        try onDisk(FileSystem.load(path(of: file, id), limit: 1 << 30))
    }

    /// Whether a video has that file.
    package func exists(_ file: File, _ id: ULID) -> Bool {
        FileSystem.attributes(path(of: file, id)) != nil
    }

    /// Opens a file for reading; nil where there is none.
    package func open(_ file: File, _ id: ULID) -> OpenedFile? {
        let path = path(of: file, id)
        let descriptor = FileSystem.retrying { Glibc.open(path, O_RDONLY | O_CLOEXEC) }
        return descriptor >= 0 ? OpenedFile(descriptor: descriptor, path: path) : nil
    }

    /// Removes all that is here of a video.
    package func remove(_ id: ULID) {
        try? FileManager.default.removeItem(atPath: folder(id))
    }

    /// The videos that have files.
    package var ids: [ULID] { FileSystem.names(in: path).compactMap { ULID($0) }.sorted() }

    /// Bytes that the files of a video take.
    ///
    /// - Parameter withPartial: whether those count that have no name of their own yet.
    package func bytes(of id: ULID, withPartial: Bool = true) -> Int {
        FileSystem.names(in: folder(id)).filter { withPartial || !$0.hasSuffix(".partial") }.reduce(0) {
            $0 + (FileSystem.attributes("\(folder(id))/\($1)")?.size ?? 0)
        }
    }

    /// Says that a file is being read until its descriptor is closed; false where its video is about to go.
    package static func startReading(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) == 0 }

    /// Keeps everybody from beginning to read a video, as long as what this returns lives; nil where somebody reads it, or
    /// works on it, in whatever process.
    package func holdUnread(_ id: ULID) -> [OpenedFile]? {
        let files = [File.source, .annotated].compactMap { open($0, id) }
        return files.allSatisfy { $0.lock() } ? files : nil
    }

    /// Whether the disk has room for so many more bytes.
    package func hasRoom(for bytes: Int) -> Bool {
        let parent = FileSystem.isDirectory(path) ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
        return FileSystem.freeBytes(parent).map { $0 - Self.reserve >= bytes } ?? true
    }
}

/// A file that is closed when nobody refers to it any more.
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

    /// So many bytes from a position on, fewer at the end. Blocks.
    package func read(_ count: Int, at position: Int) throws(HistoryError) -> [UInt8] {
        try onDisk(FileSystem.bytes(of: descriptor, at: position, count: count, path))
    }

    package var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Takes the file for this process and holder alone, until it is closed; false where another has it.
    package func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}
