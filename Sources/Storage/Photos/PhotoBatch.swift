internal import Base
internal import Foundation

/// Stores the files of several callers together, so that they share a flush.
final class PhotoBatch: Sendable {
    /// The results of storing, and where the accompanying rows end in the journal. Nil if the rows are not in the
    /// journal.
    struct Stored: Sendable {
        /// For each caller: whether one of its files existed before, or why one could not be stored.
        var results: [Result<Bool, HistoryError>]
        var rows: JournalPosition?
    }

    let directory: String
    let maximumBytes: Int
    let journal: Journal
    /// Rows that earlier processes left in the journal.
    private let leftovers: Locked<[Journal.Leftover]>
    private let turn = Locked(())

    init(directory: String, maximumBytes: Int, journal: Journal) {
        self.directory = directory
        self.maximumBytes = maximumBytes
        self.journal = journal
        leftovers = Locked([])
    }

    /// Restores the photos from the journal of earlier processes and keeps their rows for `takeLeftovers`.
    func recover() throws(HistoryError) {
        let found = try Journal.recover(in: directory) { (write) throws(HistoryError) in
            if !isStored(write) { try put(write, flushing: false) }
        }
        leftovers.withLock { $0 += found }
    }

    /// The rows that the database must insert before it is used. They are returned only once.
    func takeLeftovers() -> [Journal.Leftover] { leftovers.withLock { exchange(&$0, with: []) } }

    /// Runs the body while nobody else stores. Saves and imports come from different threads. The photos stored and the
    /// rows committed by the body may leave the journal when it has returned.
    func inTurn<Value: Sendable>(_ body: () -> Value) -> Value {
        turn.withLock { _ in
            defer { journal.turnIfFull() }
            return body()
        }
    }

    /// Stores the files. Call it within `inTurn`. Blocks.
    /// - Parameter rows: rows that become durable together with the files.
    func store(_ writes: [[PhotoFile]], rows: [[SQLValue]] = []) -> Stored {
        let all = Set(writes.joined())
        let known = all.filter { isStored($0) }
        let new = Array(all.subtracting(known))
        var failures: [ContentDigest: HistoryError] = [:]
        var position: JournalPosition?
        var isJournalled = new.isEmpty && rows.isEmpty
        if !isJournalled {
            let end = try? journal.append(new, rows: rows)
            isJournalled = end != nil
            position = rows.isEmpty ? nil : end
        }
        for write in new {
            do throws(HistoryError) {
                try put(write, flushing: !isJournalled)
            } catch {
                failures[write.digest] = error
            }
        }
        let results = writes.map { files -> Result<Bool, HistoryError> in
            if let failure = files.lazy.compactMap({ failures[$0.digest] }).first { return .failure(failure) }
            return .success(!known.isDisjoint(with: files))
        }
        return Stored(results: results, rows: position)
    }

    /// Writes a photo under its name. No row names it yet, so nobody reads it, and after a crash the journal restores
    /// it. Without a journal, the photo is flushed and gets its name only when it is complete.
    private func put(_ write: PhotoFile, flushing: Bool) throws(HistoryError) {
        let final = PhotoStore.path(of: write.digest, in: directory)
        if !flushing, let descriptor = try onDisk(FileSystem.createIfAbsent(final, write.bytes)) {
            FileSystem.closeDescriptor(descriptor)
            return
        }
        let temporary = "\(PhotoStore.incoming(in: directory))/\(ULID.next())"
        let descriptor = try onDisk(FileSystem.create(temporary, write.bytes))
        do throws(HistoryError) {
            if flushing {
                try onDisk(FileSystem.synchronizeAndClose(descriptor, temporary))
            } else {
                FileSystem.closeDescriptor(descriptor)
            }
            try onDisk(FileSystem.move(temporary, to: final))
            if flushing {
                try onDisk(
                    FileSystem.synchronizeDirectory(URL(fileURLWithPath: final).deletingLastPathComponent().path))
            }
        } catch {
            FileSystem.remove(temporary)
            throw error
        }
    }

    /// Whether an intact copy exists. A damaged one is replaced. The time of an intact one is renewed, so that it is
    /// not collected before its row is written.
    private func isStored(_ write: PhotoFile) -> Bool {
        let path = PhotoStore.path(of: write.digest, in: directory)
        guard FileSystem.attributes(path)?.size == write.bytes.count else { return false }
        FileSystem.touch(path)
        return (try? FileSystem.load(path, limit: maximumBytes)) == write.bytes
    }
}
