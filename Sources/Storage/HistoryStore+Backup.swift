package import Base
internal import Foundation

extension HistoryStore {
    /// Copies the history as it is now to a new directory. The copy can be opened as a history (`HistoryConfiguration`
    /// with SQLite) or merged into one (`restore`). Saves go on meanwhile. The directory gets its name only when the
    /// copy is complete. What killed backups left beside it more than a day ago is removed.
    package func backup(to directory: String) async throws(HistoryError) -> BackupSummary {
        guard !directory.isEmpty else { throw .invalid(field: "backup", problem: "it has to name a new directory") }
        let directory = Self.withoutEnd(directory)
        let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: directory)) != nil
        guard !isLink, !FileManager.default.fileExists(atPath: directory) else {
            throw .invalid(field: "backup", problem: "\(directory) exists already; name a new directory")
        }
        try requireOutside(directory)
        Self.removeLeftovers(beside: directory)
        return try await exclusively { () async throws(HistoryError) in
            let partial = directory + Self.partialMark + ULID.next().description
            do throws(HistoryError) {
                let summary = try await copy(to: partial)
                try onDisk(FileSystem.move(partial, to: directory))
                try onDisk(
                    FileSystem.synchronizeDirectory(URL(fileURLWithPath: directory).deletingLastPathComponent().path))
                return summary
            } catch {
                try? FileManager.default.removeItem(atPath: partial)
                // The temporary name would tell a person nothing.
                if case .diskFull(let path) = error, path.hasPrefix(partial) { throw .diskFull(path: directory) }
                throw error
            }
        }
    }

    /// The path without a slash or a dot at its end. They would make the incomplete copy a part of the directory.
    private static func withoutEnd(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
        return path
    }

    /// Stands in the name of an incomplete copy, before an identifier with the time at which the copy began.
    private static let partialMark = ".partial-"
    /// The longest time that a backup may take, in seconds.
    private static let patience = 86_400.0

    private static func removeLeftovers(beside directory: String) {
        let folder = URL(fileURLWithPath: directory).deletingLastPathComponent().path
        for name in FileSystem.names(in: folder) {
            guard let mark = name.range(of: partialMark, options: .backwards),
                let id = ULID(String(name[mark.upperBound...])), id.date.timeIntervalSinceNow < -patience
            else { continue }
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }

    /// Refuses a place among the history's own files, where the service would take the copy for its own or remove it.
    private func requireOutside(_ directory: String) throws(HistoryError) {
        let own = Self.components(configuration.directory)
        let target = Self.components(directory)
        guard target.starts(with: own), let name = target.dropFirst(own.count).first, !name.hasPrefix("backup") else {
            return
        }
        throw .invalid(
            field: "backup",
            problem: "\(directory) is among the history's own files; name a directory elsewhere, or one such as "
                + "\(configuration.directory)/backup")
    }

    /// The components of the path that a directory has or will have without links.
    private static func components(_ directory: String) -> [String] {
        let url = URL(fileURLWithPath: directory).standardized
        return url.deletingLastPathComponent().resolvingSymlinksInPath().appending(path: url.lastPathComponent)
            .resolvingSymlinksInPath().pathComponents
    }

    private func copy(to directory: String) async throws(HistoryError) -> BackupSummary {
        let copies = try await PhotoStore.open(directory: directory + "/photos")
        let database = directory + "/history.sqlite"
        try await scans.backup(to: database)
        let copy = try await SQLiteDatabase.repository(path: database, options: RepositoryOptions())
        var summary = BackupSummary()
        try await Self.eachPage(of: copy) { page async throws(HistoryError) in
            summary.scans += page.items.count
            let digests = page.items.compactMap(\.photo?.digest)
            let problems = try await Self.together(digests) { try await self.copyPhoto($0, to: copies) }
            summary.files += problems.count { $0 == nil }
            summary.problems += problems.compactMap(\.self)
        }
        try await copy.close()
        await copies.close()
        return summary
    }

    /// Returns in words why the photo could not be copied, or nil.
    private func copyPhoto(_ digest: ContentDigest, to copies: PhotoStore) async throws(HistoryError) -> String? {
        var problem: String?
        if let photo = try await photos.readIfIntact(digest, report: { problem = $0.description }) {
            _ = try await copies.store([photo])
        }
        return problem
    }

    /// Calls the body for eight elements at a time, because photos that are stored together share the flushes of the
    /// disk. Returns the results in order.
    private static func together<Element: Sendable, Value: Sendable>(
        _ elements: [Element], _ body: @escaping @Sendable (Element) async throws -> Value
    ) async throws(HistoryError) -> [Value] {
        do {
            return try await elements.concurrentMap(atOnce: 8) {
                try Task.checkCancellation()
                return try await body($0)
            }
        } catch {
            throw error as? HistoryError ?? .cancelled
        }
    }

    /// Inserts the scans, photos and favourites of a backup. Scans deleted since return; existing ones stay as they
    /// are. A scan that cannot be restored does not stop the others.
    /// - Parameter skipped: is called with the id of each scan that was left alone, and the reason.
    /// - Throws: `noHistory` if the directory is not a backup, and errors that affect all scans, such as a full disk.
    package func restore(
        from directory: String, skipped: (ULID, String) -> Void = { _, _ in }
    ) async throws(HistoryError) -> RestoreSummary {
        let source = HistoryConfiguration(directory: directory, mustExist: true)
        let backup = try await HistoryStore.open(source, logger: logger)
        var summary = RestoreSummary()
        do throws(HistoryError) {
            try await Self.eachPage(of: backup.scans) { page async throws(HistoryError) in
                summary.problems += page.damaged
                for (scan, outcome) in zip(
                    page.items, try await Self.together(page.items) { try await self.restore($0, of: backup) })
                {
                    if let problem = outcome.problem { summary.problems.append(problem) }
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

    /// Restores a scan, without its photo if that is lost. Returns whether the history has changed, and in words what
    /// is lost.
    private func restore(
        _ scan: Scan, of backup: HistoryStore
    ) async throws(HistoryError) -> (isTaken: Bool, problem: String?) {
        var photo: [UInt8]?
        var problem: String?
        if let digest = scan.photo?.digest {
            photo = try await backup.photos.readIfIntact(digest) { problem = "scan \(scan.id): \($0)" }
        }
        return (try await insert(scan, photo: photo), problem)
    }
}

package struct BackupSummary: Hashable, Sendable {
    package var scans = 0
    /// The number of photo files.
    package var files = 0
    /// Photos that were already missing or damaged, in words.
    package var problems: [String] = []
}

package struct RestoreSummary: Hashable, Sendable {
    /// Scans that this restore added, or whose photo it added.
    package var restored = 0
    /// Scans that the history had already.
    package var skipped = 0
    package var favourites = 0
    /// Problems in words: photos that the backup lacks, and its scans that are unreadable or invalid.
    package var problems: [String] = []
}

extension HistoryRepository {
    /// Writes a complete SQLite database of the history while others go on writing. The file must not exist.
    ///
    /// A history in SQLite is copied as one snapshot. Other histories are copied scan by scan: scans saved meanwhile
    /// may be missing, and scans deleted meanwhile may be present.
    package func backup(to path: String) async throws(HistoryError) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw .invalid(field: "backup", problem: "\(path) exists already")
        }
        if try await database.copy(to: path) { return }
        let copy = try await SQLiteDatabase.repository(path: path, options: RepositoryOptions())
        try await HistoryStore.eachPage(of: self) { page async throws(HistoryError) in
            _ = try await copy.insert(page.items)
        }
        for favourite in try await favourites().reversed() {
            try await copy.setFavourite(favourite.articleID, true)
        }
        try await copy.close()
    }
}
