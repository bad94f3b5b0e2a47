internal import Foundation

/// A file to be stored.
struct PhotoWrite: Sendable {
    var digest: ContentDigest
    var bytes: [UInt8]
}

/// Stores the files of several callers together: all are written, then all flushed, then all named, then each directory
/// is flushed once. The journal of the file system is committed a few times per batch rather than per file.
struct PhotoBatch {
    private struct File {
        var caller: Int
        var temporary: String
        var final: String
        var descriptor: Int32
    }

    let directory: String
    let maximumBytes: Int

    /// Answers every caller: the addresses of its files, or why one of them could not be stored.
    func store(_ writes: [[PhotoWrite]]) -> [Result<[ContentDigest], HistoryError>] {
        var failures: [Int: HistoryError] = [:]
        var directories: [String: Set<Int>] = [:]
        var files: [File] = []
        for (caller, group) in writes.enumerated() {
            for write in group where failures[caller] == nil {
                let final = PhotoStore.path(of: write.digest, in: directory)
                directories[(final as NSString).deletingLastPathComponent, default: []].insert(caller)
                if isStored(write, at: final) { continue }
                let temporary = "\(PhotoStore.incoming(in: directory))/\(ULID.next())"
                record(caller, &failures) { () throws(HistoryError) in
                    let descriptor = try FileSystem.create(temporary, write.bytes)
                    files.append(File(caller: caller, temporary: temporary, final: final, descriptor: descriptor))
                }
            }
        }
        for file in files {
            record(file.caller, &failures) { () throws(HistoryError) in
                try FileSystem.synchronizeAndClose(file.descriptor, file.temporary)
            }
        }
        for file in files {
            if failures[file.caller] != nil {
                FileSystem.remove(file.temporary)
                continue
            }
            record(file.caller, &failures) { () throws(HistoryError) in
                try FileSystem.move(file.temporary, to: file.final)
            }
        }
        for (directory, callers) in directories {
            for caller in callers.prefix(1) {
                let before = failures[caller]
                record(caller, &failures) { () throws(HistoryError) in try FileSystem.synchronizeDirectory(directory) }
                if before == nil, let failure = failures[caller] { callers.forEach { failures[$0] = failure } }
            }
        }
        return writes.enumerated().map { caller, group in
            failures[caller].map { .failure($0) } ?? .success(group.map(\.digest))
        }
    }

    /// Whether a sound copy is there. A damaged one is replaced; the time of a sound one is renewed, so that it is not
    /// collected before the row that names it is written.
    private func isStored(_ write: PhotoWrite, at path: String) -> Bool {
        guard FileSystem.attributes(path)?.size == write.bytes.count else { return false }
        FileSystem.touch(path)
        let bytes = try? FileSystem.load(path, limit: maximumBytes)
        return bytes == write.bytes
    }

    private func record(
        _ caller: Int, _ failures: inout [Int: HistoryError], _ body: () throws(HistoryError) -> Void
    ) {
        do {
            try body()
        } catch {
            failures[caller] = failures[caller] ?? error
        }
    }
}
