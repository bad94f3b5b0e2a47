internal import Base
internal import Foundation
internal import Logging
internal import Synchronization

extension HistoryStore {
    /// Removes scans whose deletion is beyond its grace time, scans beyond the retention limits, and their photos. It
    /// also removes files that no scan names from the given photo directories (by default all 256).
    ///
    /// Replicas that share a database take turns: each skips work that another is doing.
    package func maintain(
        sweeping directories: Range<Int> = 0..<PhotoStore.directoryCount
    ) async throws(HistoryError) -> PurgeSummary {
        try await exclusively { () async throws(HistoryError) in
            let scans = scans
            let referenced: PhotoRepository.Referenced = { digests async throws(HistoryError) in
                try await scans.referenced(among: digests)
            }
            let age = configuration.orphanAge
            var summary = PurgeSummary()
            var files = CollectedPhotos()
            while case let removal = try await scans.purgeDeleted(), removal.count > 0 {
                summary.expired += removal.count
                files += try await photos.collect(Array(removal.digests), age: age, referenced: referenced)
            }
            let newest = try await scans.page(HistoryQuery(limit: 1)).items.first?.createdAt
            let retention = clockDoubt.trusted(
                configuration.retention, newest: newest, now: configuration.options.now(), of: "scan", logger)
            while case let removal = try await scans.enforce(retention), removal.count > 0 {
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

    /// Maintains the history every five minutes until the task is cancelled. A failure is logged, and the next turn tries
    /// again. A turn sweeps only two of the photo directories: a million photos at once would take minutes.
    package func runMaintenance() async {
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
            do { try await Task.sleep(for: .seconds(300)) } catch { return }
        }
    }

    /// The size of the history as it was last read; nil before the first reading. Nobody waits for the database:
    /// asking begins a reading in the background, at most every five seconds. A failure keeps the old size.
    package var knownUsage: HistoryUsage? {
        let (known, isDue) = usage.withLock { state in
            let isDue = !state.isReading && state.due <= .now
            if isDue { state.isReading = true }
            return (state.usage, isDue)
        }
        guard isDue else { return known }
        Task {
            let read = try? await scans.usage()
            usage.withLock { $0 = KnownUsage(usage: read ?? $0.usage, due: .now + .seconds(5)) }
        }
        return known
    }

    /// Checks database and photos.
    package func checkIntegrity() async throws(HistoryError) -> IntegrityReport {
        var report = IntegrityReport()
        report.problems = try await scans.checkIntegrity()
        let verified = try await photos.verify()
        report.photos = verified.photos
        report.problems += verified.damaged.map { "\($0) is damaged: its SHA-256 does not match its name" }
        try await Self.eachPage(of: scans) { page async throws(HistoryError) in
            report.scans += page.items.count + page.damaged.count
            report.problems += page.damaged
            for scan in page.items where try await !photos.contains(scan.photo.map { [$0.digest] } ?? []) {
                report.problems.append("scan \(scan.id) names a photo that is missing")
            }
        }
        return report
    }

    // MARK: Parts

    /// Visits every scan, newest first, a page at a time.
    static func eachPage(
        of scans: HistoryRepository, _ body: (HistoryPage) async throws(HistoryError) -> Void
    ) async throws(HistoryError) {
        var query = HistoryQuery(limit: HistoryQuery.limits.upperBound)
        repeat {
            let page = try await scans.page(query)
            try await body(page)
            query.cursor = page.nextCursor
        } while query.cursor != nil
    }

    /// Runs the body alone: a backup must not lose photos to upkeep.
    func exclusively<Value>(_ body: () async throws(HistoryError) -> Value) async throws(HistoryError) -> Value {
        while isBusy.withLock({ exchange(&$0, with: true) }) {
            do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .cancelled }
        }
        defer { isBusy.withLock { $0 = false } }
        return try await body()
    }
}

struct KnownUsage {
    var usage: HistoryUsage?
    var isReading = false
    /// The earliest time of the next reading.
    var due = ContinuousClock.now
}

package struct IntegrityReport: Hashable, Sendable {
    package var scans = 0
    /// Photos whose digest was checked.
    package var photos = 0
    /// Problems in words. Empty if there are none.
    package var problems: [String] = []
}
