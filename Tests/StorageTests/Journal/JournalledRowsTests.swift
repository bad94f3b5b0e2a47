import Base
import Foundation
import Testing
import TestSupport

@testable import Storage

@Suite("Journalled rows") struct JournalledRowsTests {
    /// Copies in another process. Closing a file that this process has open would drop its locks.
    private func copy(_ source: String, to target: String) throws {
        let process = try Process.run(URL(filePath: "/bin/cp"), arguments: ["-a", source, target])
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    /// The history after a loss of power that took everything written to the database since `old`.
    private func losingPower(_ directory: TemporaryDirectory, old: String) throws -> String {
        let after = directory("after-\(ULID.next())")
        try copy(directory("data"), to: after)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: after + "/history.sqlite\(suffix)")
        }
        for suffix in ["", "-wal"] { try copy(old + "/history.sqlite\(suffix)", to: after) }
        return after
    }

    private func open(_ directory: String) async throws -> HistoryStore {
        try await HistoryStore.open(HistoryConfiguration(directory: directory))
    }

    /// A loss of power may cut the log at any place.
    @Test(.slow) func aLogThatIsCutAnywhereLosesNothing() async throws {
        let directory = try TemporaryDirectory()
        let store = try await open(directory("data"))
        var saved = [try await store.save(.fixture(), photo: someBytes(2_000, seed: 1))]
        try await store.close()
        let reopened = try await open(directory("data"))
        for seed in UInt64(2)..<60 {
            saved.append(try await reopened.save(.fixture(), photo: someBytes(2_000, seed: seed)))
        }
        try copy(directory("data"), to: directory("whole"))
        let log = "/history.sqlite-wal"
        for suffix in ["/history.sqlite-shm", "/reserve"] {
            try? FileManager.default.removeItem(atPath: directory("whole") + suffix)
        }
        let length = try #require(FileSystem.attributes(directory("whole") + log)?.size)
        try #require(length > 50_000)
        for place in 0..<50 {
            let after = directory("after")
            try copy(directory("whole"), to: after)
            #expect(truncate(after + log, off_t(length * place / 50)) == 0)
            let recovered = try await open(after)
            for scan in saved { #expect(try await recovered.scans.scan(id: scan.id) == scan, "cut at \(place)") }
            #expect(try await recovered.checkIntegrity().problems == [], "cut at \(place)")
            try await recovered.close()
            try FileManager.default.removeItem(atPath: after)
        }
        try await reopened.close()
    }

    @Test func whatTheDatabaseLostComesBack() async throws {
        let directory = try TemporaryDirectory()
        let store = try await open(directory("data"))
        _ = try await store.save(.fixture(), photo: someBytes(5_000, seed: 1))
        try copy(directory("data"), to: directory("old"))
        let saved = try await withThrowingTaskGroup(of: Scan.self) { group in
            for seed in 2..<40 {
                group.addTask {
                    try await store.save(
                        .fixture(), photo: someBytes(5_000, seed: UInt64(seed)), idempotencyKey: "key \(seed)")
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // The second start has nothing to recover.
        let after = try losingPower(directory, old: directory("old"))
        for _ in 0..<2 {
            let recovered = try await open(after)
            #expect(try await recovered.scans.count() == 39)
            for scan in saved {
                #expect(try await recovered.scans.scan(id: scan.id) == scan)
                #expect(try await recovered.photo(of: scan.id)?.bytes.count == 5_000)
            }
            #expect(try await recovered.scans.scan(idempotencyKey: "key 7") != nil)
            #expect(try await recovered.checkIntegrity().problems == [])
            try await recovered.close()
            #expect(Journal.names(in: after + "/photos") == [])
        }
        try await store.close()
    }

    /// The journal still has the rows of permanently deleted scans. It must not restore them.
    @Test func whatWasDeletedSinceStaysDeleted() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let options = RepositoryOptions(now: { clock.now })
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory("data"), options: options))
        var saved: [Scan] = []
        for seed in 1...5 {
            saved.append(try await store.save(.fixture(), photo: someBytes(5_000, seed: UInt64(seed))))
        }
        _ = try await store.scans.delete(ids: saved.prefix(2).map(\.id))
        clock.advance(by: 1e6)
        _ = try await store.scans.purgeDeleted()
        // The process dies. Its files stay as they are.
        try copy(directory("data"), to: directory("after"))
        #expect(Journal.names(in: directory("after") + "/photos").count == 1)
        let after = try await open(directory("after"))
        #expect(try await after.scans.count() == 3)
        await #expect(throws: HistoryError.notFound(saved[0].id.description)) {
            try await after.scans.scan(id: saved[0].id)
        }
        try await after.close()
        try await store.close()
    }

    /// A correction is flushed, together with everything before it.
    @Test func whatWasChangedSinceStaysChanged() async throws {
        let directory = try TemporaryDirectory()
        let store = try await open(directory("data"))
        let scan = try await store.save(.fixture(), photo: someBytes(5_000, seed: 1))
        let later = try await store.save(.fixture(), photo: someBytes(5_000, seed: 2))
        _ = try await store.scans.update(id: scan.id, ScanUpdate(note: .set("purrs")))
        try copy(directory("data"), to: directory("after"))
        let after = try await open(directory("after"))
        #expect(try await after.scans.scan(id: scan.id).note == "purrs")
        #expect(try await after.scans.scan(id: later.id) == later)
        try await after.close()
        try await store.close()
    }

    @Test func whatWasNotCommittedIsNotBroughtBack() async throws {
        let directory = try TemporaryDirectory()
        let store = try await PhotoStore.open(directory: directory("photos"))
        func job(_ seed: UInt64) throws -> WriteJob {
            WriteJob(photos: try store.pin([someBytes(900, seed: seed)]), row: [.integer(Int64(seed))]) { _ in true }
        }
        func run(_ seeds: [UInt64], fails: Bool) throws -> WriteJob.Transaction? {
            var transaction: WriteJob.Transaction?
            _ = WriteJob.run(try seeds.map(job), photos: store.batch, keepsRows: true) {
                transaction = $0
                return $0.jobs.map { _ in fails ? .failure(.locked(path: "h")) : .success(true) }
            }
            return transaction
        }
        let first = try #require(try run([1, 2], fails: false))
        #expect(first.rows != nil && !first.needsFlush && first.jobs.count == 2)
        let failed = try #require(try run([3], fails: true))
        #expect(failed.rows != nil)
        _ = try run([4], fails: false)
        try copy(directory("photos"), to: directory("after"))
        // The photo stays. A client that saves it again finds it and does not write it twice.
        let digest = ContentDigest(of: someBytes(900, seed: 3))
        FileSystem.remove(PhotoStore.path(of: digest, in: directory("after")))
        let after = try await PhotoStore.open(directory: directory("after"))
        #expect(try await after.read(digest) == someBytes(900, seed: 3))
        let rows = after.batch.takeLeftovers().flatMap(\.rows).map(\.values)
        #expect(rows == [1, 2, 4].map { [.integer($0)] })
        await after.close()
        await store.close()
    }

    @Test func jobsThatDoMoreThanInsertAreFlushed() async throws {
        let directory = try TemporaryDirectory()
        let store = try await PhotoStore.open(directory: directory("photos"))
        let save = WriteJob(photos: try store.pin([someBytes(900, seed: 1)]), row: [.null]) { _ in true }
        let change = WriteJob(photos: [], row: nil) { _ in true }
        for (jobs, keepsRows) in [([save, change], true), ([save], false), ([change], true)] {
            _ = WriteJob.run(jobs, photos: store.batch, keepsRows: keepsRows) {
                #expect($0.needsFlush && $0.jobs.count == jobs.count)
                return $0.jobs.map { _ in .success(true) }
            }
        }
        await store.close()
    }
}
