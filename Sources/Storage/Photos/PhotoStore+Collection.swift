internal import Base
internal import Foundation

extension PhotoStore {
    /// The number of directories that `sweep` can visit.
    static let directoryCount = 256

    /// Removes those of the files that no scan names any more.
    ///
    /// This is safe while saves run. Saves of this process pin their files until the row is written. Against other
    /// processes, three rules protect: only files untouched for `age` seconds are considered, and a save renews the
    /// time of a file that it finds; a file is moved aside first, checked again, and moved back if a scan names it by
    /// then; and `HistoryStore.save` checks after writing its row that its files still exist.
    func collect(
        _ digests: [ContentDigest], age: Int, referenced: Referenced
    ) async throws(HistoryError) -> CollectedPhotos {
        var collected = CollectedPhotos()
        if digests.isEmpty { return collected }
        let named = try await referenced(digests)
        for digest in digests where !named.contains(digest) && !isPinned(digest) {
            guard let size = try await remove(digest, age: age, referenced: referenced) else { continue }
            collected.count += 1
            collected.bytes += size
        }
        return collected
    }

    /// Removes files that no scan names from some of the directories. They are left by saves that failed or were
    /// killed. Takes about 30 µs a file.
    func sweep(_ parts: Range<Int>, age: Int, referenced: Referenced) async throws(HistoryError) -> CollectedPhotos {
        var collected = try await removeLeftovers(age: max(age, 60))
        for part in parts {
            let candidates = try await digests(inPart: part % Self.directoryCount, age: age)
            collected += try await collect(candidates, age: age, referenced: referenced)
        }
        return collected
    }

    /// Removes files that were never finished.
    private func removeLeftovers(age: Int) async throws(HistoryError) -> CollectedPhotos {
        var collected = CollectedPhotos()
        let incoming = Self.incoming(in: directory)
        // A photo that another process moved aside is left to that process, or to `recover`.
        for name in try await names(in: incoming, age: age) where ContentDigest(name) == nil {
            let path = "\(incoming)/\(name)"
            collected.bytes += FileSystem.attributes(path)?.size ?? 0
            collected.count += 1
            FileSystem.remove(path)
        }
        return collected
    }

    /// Removes one file unless a scan names it by now. Returns the size of a removed file.
    private func remove(_ digest: ContentDigest, age: Int, referenced: Referenced) async throws(HistoryError) -> Int? {
        let path = Self.path(of: digest, in: directory)
        let aside = "\(Self.incoming(in: directory))/\(digest)"
        try await readers.run { () throws(HistoryError) in try onDisk(FileSystem.moveIfPresent(path, to: aside)) }
        do throws(HistoryError) {
            // Pins are read first: a save writes its row before it unpins.
            let isAwaited = isPinned(digest)
            let names = try await referenced([digest])
            let isNamed = isAwaited || !names.isEmpty
            return try await readers.run { () throws(HistoryError) in
                let attributes = FileSystem.attributes(aside)
                if isNamed || !Self.isOld(attributes?.modified, age: age) {
                    try onDisk(FileSystem.moveIfPresent(aside, to: path))
                    return nil
                }
                FileSystem.remove(aside)
                return attributes?.size
            }
        } catch {
            try onDisk(FileSystem.moveIfPresent(aside, to: path))
            throw error
        }
    }

    /// The digests of the files in one directory that have not changed for `age` seconds. Nil takes all, also those from
    /// a time when the clock was ahead.
    func digests(inPart part: Int, age: Int? = nil) async throws(HistoryError) -> [ContentDigest] {
        try await names(in: Self.leaves(of: directory)[part], age: age).compactMap { ContentDigest($0) }
    }

    /// Removes a file that is now kept elsewhere.
    func remove(_ digest: ContentDigest) async throws(HistoryError) {
        let path = Self.path(of: digest, in: directory)
        try await readers.run { () throws(HistoryError) in FileSystem.remove(path) }
    }

    private func names(in directory: String, age: Int?) async throws(HistoryError) -> [String] {
        try await readers.run { () throws(HistoryError) in
            let names = FileSystem.names(in: directory)
            guard let age else { return names }
            return names.filter { Self.isOld(FileSystem.attributes("\(directory)/\($0)")?.modified, age: age) }
        }
    }

    private static func isOld(_ modified: Int?, age: Int) -> Bool {
        guard let modified else { return false }
        return modified <= Int(clamping: Date().timeIntervalSince1970) - age
    }

    /// Compares every photo with its name. Returns the number of photos and the damaged files.
    func verify() async throws(HistoryError) -> (photos: Int, damaged: [String]) {
        try await verify { try? await Task.sleep(for: .seconds(1)) }
    }

    /// The files whose bytes do not match their name, and the number of all files.
    /// - Parameter pause: the wait before a recently changed file is read again. It may still be in the making.
    func verify(pause: @Sendable () async -> Void) async throws(HistoryError) -> (photos: Int, damaged: [String]) {
        var files = 0
        var damaged: [String] = []
        for part in 0..<Self.directoryCount {
            for digest in try await digests(inPart: part) {
                let path = Self.path(of: digest, in: directory)
                var isSound = try await isSound(digest)
                if isSound == false, !Self.isOld(FileSystem.attributes(path)?.modified, age: 2) {
                    await pause()
                    isSound = try await self.isSound(digest)
                }
                if isSound != nil { files += 1 }
                if isSound == false { damaged.append(path) }
            }
        }
        return (files, damaged)
    }

    /// Whether the bytes of a file match its name. Nil without the file.
    private func isSound(_ digest: ContentDigest) async throws(HistoryError) -> Bool? {
        do throws(HistoryError) {
            _ = try await read(digest)
            return true
        } catch {
            switch error {
            case .corruptPhoto, .photoTooLarge: return false
            case .missingPhoto: return nil
            default: throw error
            }
        }
    }
}
