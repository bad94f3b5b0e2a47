internal import Base
internal import Foundation
internal import Logging
internal import Synchronization

extension HistoryStore {
    /// Removes what is due: deletions beyond their grace time, scans beyond the retention limits, with their photos,
    /// and, in the given photo directories (all 256 unless told), files without a scan.
    package func maintain(
        sweeping directories: Range<Int> = 0..<PhotoStore.directoryCount
    ) async throws(HistoryError) -> PurgeSummary {
        try await exclusively { () async throws(HistoryError) in
            let scans = scans
            let referenced: PhotoStore.Referenced = { digests async throws(HistoryError) in
                try await scans.referenced(among: digests)
            }
            let age = configuration.orphanAge
            var summary = PurgeSummary()
            var files = CollectedFiles()
            while case let removal = try await scans.purgeDeleted(), removal.count > 0 {
                summary.expired += removal.count
                files += try await photos.collect(Array(removal.digests), age: age, referenced: referenced)
            }
            while case let removal = try await scans.enforce(configuration.retention), removal.count > 0 {
                summary.retired += removal.count
                files += try await photos.collect(Array(removal.digests), age: age, referenced: referenced)
            }
            files += try await photos.sweep(directories, age: age, referenced: referenced)
            try await scans.reclaimSpace()
            summary.orphans = files.count
            summary.freedBytes = files.bytes
            return summary
        }
    }

    /// Maintains the history now and then until the task is cancelled. Failures are logged; the next turn tries again.
    /// Each turn sweeps two of the photo directories: a sweep of a million photos in one go would take minutes.
    package func runMaintenance(every interval: Duration = .seconds(300)) async {
        var turn = 0
        while !Task.isCancelled {
            do {
                let first = turn * 2 % PhotoStore.directoryCount
                turn += 1
                let summary = try await maintain(sweeping: first..<first + 2)
                if summary != PurgeSummary() {
                    logger.info(
                        "maintained the history",
                        metadata: [
                            "expired": "\(summary.expired)", "retired": "\(summary.retired)",
                            "orphans": "\(summary.orphans)", "freed_bytes": "\(summary.freedBytes)",
                        ])
                }
            } catch {
                logger.warning("could not maintain the history", metadata: ["error": "\(error)"])
            }
            do { try await Task.sleep(for: interval) } catch { return }
        }
    }

    /// Checks database and photos.
    package func checkIntegrity() async throws(HistoryError) -> IntegrityReport {
        var report = IntegrityReport()
        report.problems = try await scans.checkIntegrity()
        let verified = try await photos.verify()
        report.photos = verified.files
        report.problems += verified.damaged.map { "\($0) is damaged: its SHA-256 does not match its name" }
        try await eachScan { scan async throws(HistoryError) in
            report.scans += 1
            if try await !photos.contains(scan.photo?.digests ?? []) {
                report.problems.append("scan \(scan.id) names a photo that is missing")
            }
        }
        return report
    }

    /// Copies the history as it is now to a new directory, which can be opened as a history (`HistoryConfiguration`
    /// with SQLite) or merged into one (`restore`). Saves go on meanwhile.
    package func backup(to directory: String) async throws(HistoryError) -> BackupSummary {
        guard !FileManager.default.fileExists(atPath: directory) else {
            throw .invalid(field: "backup", problem: "\(directory) exists already; name a new directory")
        }
        return try await exclusively { () async throws(HistoryError) in
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
    }

    /// Adds the scans and photos of a backup; scans whose id is there already are left alone.
    /// - Returns: how many scans were added.
    package func restore(from directory: String) async throws(HistoryError) -> Int {
        let database = directory + "/history.sqlite"
        guard FileManager.default.fileExists(atPath: database) else {
            throw .invalid(field: "restore", problem: "there is no \(database)")
        }
        let backup = try await HistoryStore.open(HistoryConfiguration(directory: directory), logger: logger)
        var count = 0
        try await backup.eachScan { scan async throws(HistoryError) in
            var photo: [UInt8]?
            var thumbnail: [UInt8]?
            if let digest = scan.photo?.digest { photo = try await backup.photos.read(digest) }
            if let digest = scan.photo?.thumbnailDigest { thumbnail = try await backup.photos.read(digest) }
            if try await insert(scan, photo: photo, thumbnail: thumbnail) { count += 1 }
        }
        for favourite in try await backup.scans.favourites().reversed() {
            try await scans.setFavourite(favourite.articleID, true)
        }
        try await backup.close()
        return count
    }

    // MARK: Parts

    /// Visits every scan, newest first.
    package func eachScan(
        matching query: HistoryQuery = HistoryQuery(), _ body: (Scan) async throws(HistoryError) -> Void
    ) async throws(HistoryError) {
        try await Self.eachScan(of: scans, matching: query, body)
    }

    private static func eachScan(
        of scans: any HistoryRepository, matching query: HistoryQuery = HistoryQuery(),
        _ body: (Scan) async throws(HistoryError) -> Void
    ) async throws(HistoryError) {
        var query = query
        query.limit = HistoryQuery.limits.upperBound
        repeat {
            let page = try await scans.page(query)
            for scan in page.items { try await body(scan) }
            query.cursor = page.nextCursor
        } while query.cursor != nil
    }

    /// Waits its turn: a backup must not lose photos to upkeep.
    private func exclusively<Value>(
        _ body: () async throws(HistoryError) -> Value
    ) async throws(HistoryError) -> Value {
        while isBusy.withLock({ isBusy in
            defer { isBusy = true }
            return isBusy
        }) {
            do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .cancelled }
        }
        defer { isBusy.withLock { $0 = false } }
        return try await body()
    }
}

/// What a check found.
package struct IntegrityReport: Hashable, Sendable {
    package var scans = 0
    /// Photo and thumbnail files whose digest was checked.
    package var photos = 0
    /// In words; empty when nothing is wrong.
    package var problems: [String] = []
}

/// What a backup holds.
package struct BackupSummary: Hashable, Sendable {
    package var scans = 0
    /// Photo and thumbnail files.
    package var files = 0
    /// Photos that were missing or damaged already, in words.
    package var problems: [String] = []
}

extension HistoryError {
    var isLossOfPhoto: Bool {
        switch self {
        case .missingPhoto, .corruptPhoto: true
        default: false
        }
    }
}
