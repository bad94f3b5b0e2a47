internal import Dispatch
internal import Foundation
internal import Logging
internal import Synchronization

/// Makes photos durable many times cheaper than a flush of each file does.
///
/// Photos that are saved together are first appended to one file that is written over again and again, so that its
/// flush need not change the file system's own records; then they are written under their names without any flush. When
/// the file is full the next is begun, and the file system as a whole is flushed in the background (syncfs) before the
/// full one is used again. At every moment a photo is therefore in the journal or flushed under its name; after a crash
/// `recover` brings the names up to the journal.
///
/// Measured on ext4, 2 cores, 8 photos of 60 KB: 2 to 7 ms and 0.07 CPU-ms a photo, against 15 to 45 ms and 0.25 for a
/// flush of each file and of each directory.
final class PhotoJournal: Sendable {
    private struct State {
        var current: PhotoJournalFile?
        /// The other file, while it is free.
        var spare: PhotoJournalFile?
        /// Set once the file system could not be flushed: the journal then keeps what it has and takes nothing more.
        var isBroken = false
    }

    /// Of the photos.
    private let directory: String
    /// Bytes after which a file is full.
    private let capacity: Int
    private let queue = DispatchQueue(label: "menagerie.history.photos.journal", qos: .utility)
    private let state = Mutex(State())
    /// Taken while a full file is freed.
    private let isFreeing = DispatchSemaphore(value: 1)

    init(directory: String, capacity: Int) {
        self.directory = directory
        self.capacity = capacity
    }

    static func directory(in photos: String) -> String { photos + "/journal" }

    /// Appends photos, which are durable when this returns. Throws when they have to be made durable in another way.
    /// Only one thread at a time may append.
    func append(_ photos: [PhotoWrite]) throws(HistoryError) {
        // A file may become that much larger than it should.
        guard photos.reduce(0, { $0 + $1.bytes.count }) <= 4 * capacity else {
            throw .unavailable("the photos are larger than the journal")
        }
        do throws(HistoryError) {
            // What is left is for the photos themselves and for the database.
            if let free = FileSystem.freeBytes(directory), free < 8 * capacity { throw .diskFull(path: directory) }
            try currentFile().append(photos)
        } catch {
            close()
            throw error
        }
    }

    /// To be called once the photos appended before are there under their names: goes over to the next file if this one
    /// is full.
    func turnIfFull() {
        guard let full = state.withLock({ $0.current }), full.length >= capacity else { return }
        isFreeing.wait()
        state.withLock { state in
            state.current = state.spare
            state.spare = nil
        }
        queue.async { [self] in
            free(full)
            isFreeing.signal()
        }
    }

    /// Flushes all that was appended and removes the files. The next photo begins a new one.
    func close() {
        isFreeing.wait()
        defer { isFreeing.signal() }
        let (files, isBroken) = state.withLock { ([$0.current, $0.spare].compactMap(\.self), $0.isBroken) }
        guard !files.isEmpty, !isBroken, flush() else { return }
        for file in files { FileSystem.remove(file.path) }
        state.withLock { ($0.current, $0.spare) = (nil, nil) }
    }

    /// Brings the photos to what the journals say that processes left behind when they died.
    /// - Parameter store: writes a photo under its name unless it is there; need not flush it.
    static func recover(
        in photos: String, _ store: (PhotoWrite) throws(HistoryError) -> Void
    ) throws(HistoryError) {
        let folder = directory(in: photos)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names.sorted() {
            guard let file = try PhotoJournalFile(leftAt: "\(folder)/\(name)") else { continue }
            try file.eachPhoto(store)
            // Those that were there already may never have been flushed.
            try FileSystem.synchronizeFileSystem(photos)
            FileSystem.remove(file.path)
        }
    }

    // MARK: Parts

    private func currentFile() throws(HistoryError) -> PhotoJournalFile {
        let (current, isBroken) = state.withLock { ($0.current, $0.isBroken) }
        if isBroken { throw .unavailable("the journal could not be flushed") }
        if let current { return current }
        let folder = Self.directory(in: directory)
        try FileSystem.makeDirectory(folder)
        let file = try PhotoJournalFile(creating: "\(folder)/\(ULID.next())", capacity: capacity)
        try FileSystem.synchronizeDirectory(folder)
        state.withLock { $0.current = file }
        return file
    }

    private func free(_ file: PhotoJournalFile) {
        guard flush() else { return }
        file.rewind()
        state.withLock { $0.spare = file }
    }

    private func flush() -> Bool {
        do throws(HistoryError) {
            try FileSystem.synchronizeFileSystem(directory)
            return true
        } catch {
            Logger(label: "menagerie.history").error(
                "could not flush the photos; the journal keeps them", metadata: ["error": "\(error)"])
            state.withLock { $0.isBroken = true }
            return false
        }
    }
}
