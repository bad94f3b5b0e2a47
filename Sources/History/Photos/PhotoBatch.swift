internal import Foundation

/// A file to be stored.
struct PhotoWrite: Sendable {
    var digest: ContentDigest
    var bytes: [UInt8]
}

/// Stores the files of several callers together: all are written and flushed side by side, then all are named, then the
/// directories are flushed side by side, so that the journal of the file system is committed a few times per batch
/// rather than a few times per file.
struct PhotoBatch {
    /// A file under its temporary name; nil where a sound copy is there already.
    private typealias Written = Result<String?, HistoryError>

    private struct File: Sendable {
        var caller: Int
        var write: PhotoWrite
        var final: String
        var directory: String
    }

    let directory: String
    let maximumBytes: Int
    let threads: ThreadTeam

    /// Answers every caller: the addresses of its files, or why one of them could not be stored.
    func store(_ writes: [[PhotoWrite]]) -> [Result<[ContentDigest], HistoryError>] {
        let files = writes.enumerated().flatMap { caller, group in
            group.map { write in
                let final = PhotoStore.path(of: write.digest, in: directory)
                return File(
                    caller: caller, write: write, final: final, directory: (final as NSString).deletingLastPathComponent
                )
            }
        }
        var failures: [Int: HistoryError] = [:]
        for (file, written) in zip(files, threads.map(files, write)) {
            switch written {
            case .success(let temporary?):
                do throws(HistoryError) {
                    try FileSystem.move(temporary, to: file.final)
                } catch {
                    failures[file.caller] = error
                }
            case .success(nil): break
            case .failure(let error): failures[file.caller] = error
            }
        }
        let directories = Array(Set(files.map(\.directory)))
        let flushed = threads.map(directories) { directory in
            Result { () throws(HistoryError) in try FileSystem.synchronizeDirectory(directory) }
        }
        for (directory, result) in zip(directories, flushed) {
            guard case .failure(let error) = result else { continue }
            for file in files where file.directory == directory { failures[file.caller] = error }
        }
        return writes.enumerated().map { caller, group in
            failures[caller].map { .failure($0) } ?? .success(group.map(\.digest))
        }
    }

    private func write(_ file: File) -> Written {
        Result { () throws(HistoryError) in
            if isStored(file.write, at: file.final) { return nil }
            let temporary = "\(PhotoStore.incoming(in: directory))/\(ULID.next())"
            let descriptor = try FileSystem.create(temporary, file.write.bytes)
            do throws(HistoryError) {
                try FileSystem.synchronizeAndClose(descriptor, temporary)
            } catch {
                FileSystem.remove(temporary)
                throw error
            }
            return temporary
        }
    }

    /// Whether a sound copy is there. A damaged one is replaced; the time of a sound one is renewed, so that it is not
    /// collected before the row that names it is written.
    private func isStored(_ write: PhotoWrite, at path: String) -> Bool {
        guard FileSystem.attributes(path)?.size == write.bytes.count else { return false }
        FileSystem.touch(path)
        return (try? FileSystem.load(path, limit: maximumBytes)) == write.bytes
    }
}
