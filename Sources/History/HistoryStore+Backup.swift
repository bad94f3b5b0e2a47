package import Base
internal import Foundation

extension HistoryStore {
    /// Copies the history as it is now to a new directory, which can be opened as a history (`HistoryConfiguration`
    /// with SQLite) or merged into one (`restore`). Saves go on meanwhile. The directory has its name only once all
    /// is there.
    package func backup(to directory: String) async throws(HistoryError) -> BackupSummary {
        guard !FileManager.default.fileExists(atPath: directory) else {
            throw .invalid(field: "backup", problem: "\(directory) exists already; name a new directory")
        }
        return try await exclusively { () async throws(HistoryError) in
            let partial = "\(directory).partial-\(ULID.next())"
            do throws(HistoryError) {
                let summary = try await copy(to: partial)
                try onDisk(FileSystem.move(partial, to: directory))
                try onDisk(
                    FileSystem.synchronizeDirectory(URL(fileURLWithPath: directory).deletingLastPathComponent().path))
                return summary
            } catch {
                try? FileManager.default.removeItem(atPath: partial)
                throw error
            }
        }
    }

    private func copy(to directory: String) async throws(HistoryError) -> BackupSummary {
        let copies = try await PhotoStore.open(directory: directory + "/photos")
        let database = directory + "/history.sqlite"
        try await scans.backup(to: database)
        let copy = try await SQLiteDatabase.repository(path: database, options: RepositoryOptions())
        var summary = BackupSummary()
        try await Self.eachScan(of: copy) { scan async throws(HistoryError) in
            summary.scans += 1
            for digest in scan.photo?.digests ?? [] {
                do throws(HistoryError) {
                    _ = try await copies.store([photos.read(digest)])
                    summary.files += 1
                } catch {
                    guard error.isLossOfPhoto else { throw error }
                    summary.problems.append(error.description)
                }
            }
        }
        try await copy.close()
        await copies.close()
        return summary
    }

    /// Takes the scans, photos and favourites of a backup in, whatever was deleted since; what is there is left alone.
    /// A scan that cannot be taken whole does not keep the others out.
    /// - Parameter skipped: is told the id of each scan that was left alone, and why.
    /// - Throws: `noHistory` where the directory is no backup, and what concerns all scans alike, such as a full disk.
    package func restore(
        from directory: String, skipped: (ULID, String) -> Void = { _, _ in }
    ) async throws(HistoryError) -> RestoreSummary {
        let source = HistoryConfiguration(directory: directory, mustExist: true)
        let backup = try await HistoryStore.open(source, logger: logger)
        var summary = RestoreSummary()
        do throws(HistoryError) {
            try await Self.eachPage(of: backup.scans) { page async throws(HistoryError) in
                summary.problems += page.damaged
                for (scan, outcome) in zip(page.items, try await restore(page.items, of: backup)) {
                    summary.problems += outcome.problems
                    if outcome.isTaken {
                        summary.restored += 1
                    } else {
                        summary.skipped += 1
                        skipped(scan.id, "is there already")
                    }
                }
            }
            let present = Set(try await scans.favourites().map(\.articleID))
            for favourite in try await backup.scans.favourites().reversed()
            where !present.contains(favourite.articleID) {
                try await scans.setFavourite(favourite.articleID, true)
                summary.favourites += 1
            }
        } catch {
            try? await backup.close()
            throw error
        }
        try await backup.close()
        return summary
    }

    /// Scans restored at the same time, which share the flushes of the disk.
    private static let restoreWidth = 8

    private struct Restored: Sendable {
        /// Whether the history has changed.
        var isTaken: Bool
        var problems: [String]
    }

    /// Answers for each of the scans, in order.
    private func restore(_ scans: [Scan], of backup: HistoryStore) async throws(HistoryError) -> [Restored] {
        do {
            return try await scans.concurrentMap(atOnce: Self.restoreWidth) { try await self.restore($0, of: backup) }
        } catch {
            throw error as? HistoryError ?? .cancelled
        }
    }

    private func restore(_ scan: Scan, of backup: HistoryStore) async throws(HistoryError) -> Restored {
        var files: [[UInt8]] = []
        var problems: [String] = []
        do throws(HistoryError) {
            for digest in scan.photo?.digests ?? [] { files.append(try await backup.photos.read(digest)) }
        } catch {
            guard error.isLossOfPhoto else { throw error }
            // A thumbnail can be made again, and without its photo the scan itself is worth having all the same.
            problems.append("scan \(scan.id): \(error)")
        }
        let isTaken = try await insert(scan, photo: files.first, thumbnail: files.dropFirst().first)
        return Restored(isTaken: isTaken, problems: problems)
    }
}

/// What a backup holds.
package struct BackupSummary: Hashable, Sendable {
    package var scans = 0
    /// Photo and thumbnail files.
    package var files = 0
    /// Photos that were missing or damaged already, in words.
    package var problems: [String] = []
}

/// What a backup gave back.
package struct RestoreSummary: Hashable, Sendable {
    /// Scans that are in the history now, or have their photo back, and were not or had not before.
    package var restored = 0
    /// Scans that were there already.
    package var skipped = 0
    package var favourites = 0
    /// Photos that the backup itself lacks, and scans in it that cannot be read or are none, in words.
    package var problems: [String] = []
}
