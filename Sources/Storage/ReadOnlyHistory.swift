internal import Base
internal import Foundation
internal import GRDB

/// A history on a read-only file system, such as a snapshot or a folder that a container has mounted `ro`. Opening a
/// history writes, so a temporary folder stands in: it has copies of the database and the journal, and links to the
/// photos.
final class ReadOnlyHistory: Sendable {
    /// The history in the folder that stands in.
    let configuration: HistoryConfiguration
    private var standIn: String { configuration.directory }

    /// Nil if the history can be written to, may be made, or does not exist.
    init?(_ given: HistoryConfiguration) throws(HistoryError) {
        guard given.mustExist, case .sqlite = given.backend, Self.holds(given.directory) else { return nil }
        var configuration = given
        configuration.directory = FileManager.default.temporaryDirectory.path + "/menagerie-\(ULID.next())"
        self.configuration = configuration
        do {
            // Links to a relative path would begin at the folder that stands in.
            try fill(from: URL(fileURLWithPath: given.directory).path)
        } catch {
            if FileSystem.isFull(FileManager.default.temporaryDirectory.path) { throw .diskFull(path: standIn) }
            throw .sqlite(error, path: given.directory + "/history.sqlite")
        }
    }

    /// Whether a read-only file system has a history there.
    static func holds(_ directory: String) -> Bool {
        FileSystem.isReadOnly(directory) && FileManager.default.fileExists(atPath: directory + "/history.sqlite")
    }

    deinit { remove() }

    func remove() { try? FileManager.default.removeItem(atPath: standIn) }

    private func fill(from directory: String) throws {
        let (photos, copies) = (directory + "/photos", standIn + "/photos")
        try FileSystem.makeDirectory(copies)
        // The journal comes first: another process may go on, and what it saves later is in the database alone.
        let journal = Journal.directory(in: photos)
        if FileSystem.isDirectory(journal) {
            try FileManager.default.copyItem(atPath: journal, toPath: Journal.directory(in: copies))
        }
        let incomplete = try Self.foldersOfPhotosInJournal(of: copies, lackedBy: photos)
        for (leaf, copy) in zip(PhotoStore.leaves(of: photos), PhotoStore.leaves(of: copies)) {
            try FileSystem.makeDirectory(URL(fileURLWithPath: copy).deletingLastPathComponent().path, flushing: false)
            if incomplete.contains(leaf) {
                try FileSystem.makeDirectory(copy, flushing: false)
                for name in FileSystem.names(in: leaf) {
                    try FileManager.default.createSymbolicLink(
                        atPath: "\(copy)/\(name)", withDestinationPath: "\(leaf)/\(name)")
                }
            } else if FileSystem.isDirectory(leaf) {
                try FileManager.default.createSymbolicLink(atPath: copy, withDestinationPath: leaf)
            }
        }
        let (database, copy) = (directory + "/history.sqlite", standIn + "/history.sqlite")
        // Without its index of the log the database is closed, and its file is whole.
        guard FileManager.default.fileExists(atPath: database + "-shm") else {
            return try FileManager.default.copyItem(atPath: database, toPath: copy)
        }
        try FileProtection.createDatabase(copy)
        var configuration = Configuration()
        configuration.readonly = true
        let (source, target) = (
            try DatabaseQueue(path: database, configuration: configuration), try DatabaseQueue(path: copy)
        )
        try source.backup(to: target)
        try source.close()
        try target.close()
    }

    /// The folders in which a snapshot of a running service, or a power cut, left a photo to the journal. Opening the
    /// history adds the photo, so such a folder is no link.
    private static func foldersOfPhotosInJournal(of copies: String, lackedBy photos: String) throws -> Set<String> {
        var folders: Set<String> = []
        for name in Journal.names(in: copies) {
            try JournalFile(leftAt: "\(Journal.directory(in: copies))/\(name)")?.eachEntry { entry, _ in
                guard case .photo(let photo) = entry else { return }
                let path = PhotoStore.path(of: photo.digest, in: photos)
                if (try? FileSystem.load(path, limit: photo.bytes.count)) == photo.bytes { return }
                folders.insert(URL(fileURLWithPath: path).deletingLastPathComponent().path)
            }
        }
        return folders
    }
}
