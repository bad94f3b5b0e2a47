internal import Foundation
internal import Synchronization

/// A file to be stored.
package struct PhotoWrite: Hashable, Sendable {
    var digest: ContentDigest
    var bytes: [UInt8]

    init(digest: ContentDigest, bytes: [UInt8]) {
        self.digest = digest
        self.bytes = bytes
    }

    package static func == (left: PhotoWrite, right: PhotoWrite) -> Bool { left.digest == right.digest }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// Stores the files of several callers together, so that they share a flush.
final class PhotoBatch: Sendable {
    /// Of the photos.
    let directory: String
    let maximumBytes: Int
    let journal: PhotoJournal
    private let turn = Mutex(())

    init(directory: String, maximumBytes: Int, journal: PhotoJournal) {
        self.directory = directory
        self.maximumBytes = maximumBytes
        self.journal = journal
    }

    /// Answers every caller: whether one of its files had been there before, or why one could not be stored. Blocks.
    func store(_ writes: [[PhotoWrite]]) -> [Result<Bool, HistoryError>] {
        // Saves and imports come from different threads; the journal takes one at a time.
        turn.withLock { _ in storeAlone(writes) }
    }

    private func storeAlone(_ writes: [[PhotoWrite]]) -> [Result<Bool, HistoryError>] {
        let (known, new) = Set(writes.joined()).partitioned { isStored($0) }
        var failures: [ContentDigest: HistoryError] = [:]
        do throws(HistoryError) {
            if !new.isEmpty { try journal.append(new) }
            for write in new {
                do throws(HistoryError) { try put(write, flushing: false) } catch { failures[write.digest] = error }
            }
            journal.turnIfFull()
        } catch {
            for write in new {
                do throws(HistoryError) { try put(write, flushing: true) } catch { failures[write.digest] = error }
            }
        }
        let found = Set(known.map(\.digest))
        return writes.map { files in
            if let failure = files.lazy.compactMap({ failures[$0.digest] }).first { return .failure(failure) }
            return .success(files.contains { found.contains($0.digest) })
        }
    }

    /// Writes a file under its name unless a sound copy is there; does not flush it.
    func restore(_ write: PhotoWrite) throws(HistoryError) {
        if !isStored(write) { try put(write, flushing: false) }
    }

    /// First under another name, so that nobody ever sees a part of it.
    private func put(_ write: PhotoWrite, flushing: Bool) throws(HistoryError) {
        let temporary = "\(PhotoStore.incoming(in: directory))/\(ULID.next())"
        let final = PhotoStore.path(of: write.digest, in: directory)
        let descriptor = try FileSystem.create(temporary, write.bytes)
        do throws(HistoryError) {
            if flushing {
                try FileSystem.synchronizeAndClose(descriptor, temporary)
            } else {
                FileSystem.closeDescriptor(descriptor)
            }
            try FileSystem.move(temporary, to: final)
            if flushing {
                try FileSystem.synchronizeDirectory(URL(fileURLWithPath: final).deletingLastPathComponent().path)
            }
        } catch {
            FileSystem.remove(temporary)
            throw error
        }
    }

    /// Whether a sound copy is there. A damaged one is replaced; the time of a sound one is renewed, so that it is not
    /// collected before the row that names it is written.
    private func isStored(_ write: PhotoWrite) -> Bool {
        let path = PhotoStore.path(of: write.digest, in: directory)
        guard FileSystem.attributes(path)?.size == write.bytes.count else { return false }
        FileSystem.touch(path)
        return (try? FileSystem.load(path, limit: maximumBytes)) == write.bytes
    }
}

extension Sequence {
    /// Those that satisfy the condition, and the others.
    fileprivate func partitioned(_ condition: (Element) -> Bool) -> (matching: [Element], others: [Element]) {
        var (matching, others): ([Element], [Element]) = ([], [])
        for element in self {
            if condition(element) { matching.append(element) } else { others.append(element) }
        }
        return (matching, others)
    }
}
