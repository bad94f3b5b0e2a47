import Base
import Foundation
import Testing

@testable import Storage

@Suite("Scans with their photos") struct HistoryStoreTests {
    private func withStore(
        clock: TestClock = TestClock(), retention: RetentionPolicy = RetentionPolicy(),
        _ body: (HistoryStore, TemporaryDirectory) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let configuration = HistoryConfiguration(
            directory: directory("data"), retention: retention,
            options: RepositoryOptions(undoGrace: 600, now: { clock.now }), orphanAge: 0)
        let store = try await HistoryStore.open(configuration)
        try await body(store, directory)
        #expect(try await store.checkIntegrity().problems == [])
        try await store.close()
    }

    @Test func aScanIsSavedWithItsPhoto() async throws {
        try await withStore { store, _ in
            let photo = someBytes(90_000, seed: 1)
            let scan = try await store.save(.fixture(), photo: photo)
            #expect(scan.photo?.digest == ContentDigest(of: photo))
            #expect(scan.photo?.byteCount == 90_000)
            #expect(try await store.photo(of: scan.id)?.bytes == photo)
            let bare = try await store.save(.fixture())
            #expect(bare.photo == nil)
            #expect(try await store.photo(of: bare.id) == nil)
            await #expect(throws: HistoryError.self) { try await store.photo(of: .next()) }
        }
    }

    @Test func aHistoryIsThereAfterReopening() async throws {
        let directory = try TemporaryDirectory()
        let configuration = HistoryConfiguration(directory: directory("data"))
        let first = try await HistoryStore.open(configuration)
        let scan = try await first.save(.fixture(), photo: [1, 2, 3])
        try await first.close()
        // Closing moves the log into the database file.
        #expect((FileSystem.attributes(directory("data/history.sqlite-wal"))?.size ?? 0) == 0)
        await #expect(throws: HistoryError.closed) { try await first.save(.fixture()) }
        await #expect(throws: HistoryError.closed) { try await first.scans.page(HistoryQuery()) }
        let second = try await HistoryStore.open(configuration)
        #expect(try await second.scans.scan(id: scan.id) == scan)
        #expect(try await second.photo(of: scan.id)?.bytes == [1, 2, 3])
        try await second.close()
    }

    @Test func photosGoWithTheLastScanThatNamesThem() async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, _ in
            let first = try await store.save(.fixture(), photo: [1, 2, 3])
            let second = try await store.save(.fixture(), photo: [1, 2, 3])
            _ = try await store.scans.delete(id: first.id)
            clock.advance(by: 601)
            var summary = try await store.maintain()
            #expect(summary.expired == 1)
            #expect(summary.orphans == 0)
            #expect(try await store.photo(of: second.id)?.bytes == [1, 2, 3])
            _ = try await store.scans.delete(id: second.id)
            #expect(try await store.maintain() == PurgeSummary())
            clock.advance(by: 601)
            summary = try await store.maintain()
            #expect(summary.expired == 1)
            #expect(summary.orphans == 1)
            #expect(summary.freedBytes == 3)
        }
    }

    @Test func retentionFreesTheOldestPhotos() async throws {
        try await withStore(retention: RetentionPolicy(maximumBytes: 2_500)) { store, _ in
            // A scan without a photo takes no bytes, so it stays.
            var scans = [try await store.save(.fixture())]
            for seed in 1...4 {
                scans.append(try await store.save(.fixture(), photo: someBytes(1_000, seed: UInt64(seed))))
            }
            let summary = try await store.maintain()
            #expect(summary.retired == 2)
            #expect(summary.freedBytes == 2_000)
            let kept = [scans[4].id, scans[3].id, scans[0].id]
            #expect(try await store.scans.page(HistoryQuery()).items.map(\.id) == kept)
        }
    }

    @Test func aClockThatIsYearsAheadRemovesNothing() async throws {
        let clock = TestClock()
        try await withStore(clock: clock, retention: RetentionPolicy(maximumAge: 30 * 86_400)) { store, _ in
            _ = try await store.save(.fixture(id: ULID(date: clock.now)), photo: [1, 2, 3])
            clock.advance(by: 5 * 365 * 86_400)
            #expect(try await store.maintain() == PurgeSummary())
            // A scan under the wrong clock does not make the clock right.
            _ = try await store.save(.fixture(id: ULID(date: clock.now)), photo: [4])
            #expect(try await store.maintain() == PurgeSummary())
            store.clockDoubt.since.withLock { $0 = .now - .seconds(90_000) }
            #expect(try await store.maintain().retired == 1)
        }
        try await withStore(clock: clock, retention: RetentionPolicy(maximumAge: 30 * 86_400)) { store, _ in
            _ = try await store.save(.fixture(id: ULID(date: clock.now)), photo: [1, 2, 3])
            clock.advance(by: 31 * 86_400)
            #expect(try await store.maintain().retired == 1, "after a holiday it is as ever")
        }
    }

    @Test func aClockThatIsSetForwardRemovesNothing() async throws {
        let clock = TestClock()
        try await withStore(clock: clock, retention: RetentionPolicy(maximumAge: 30 * 86_400)) { store, _ in
            _ = try await store.save(.fixture(id: ULID(date: clock.now)), photo: [1, 2, 3])
            #expect(try await store.maintain() == PurgeSummary())
            clock.advance(by: 31 * 86_400)
            #expect(try await store.maintain() == PurgeSummary())
            store.clockDoubt.since.withLock { $0 = .now - .seconds(90_000) }
            #expect(try await store.maintain().retired == 1)
        }
    }

    /// Collects photos of any age while the same photos are saved again and again.
    @Test func collectingBesideSavesLosesNoPhoto() async throws {
        let clock = TestClock()
        try await withStore(clock: clock) { store, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        for round in 0..<40 {
                            let scan = try await store.save(.fixture(), photo: [UInt8(round % 5), 1])
                            if (worker + round) % 2 == 0 {
                                _ = try await store.scans.delete(id: scan.id)
                                clock.advance(by: 601)
                            }
                        }
                    }
                }
                group.addTask { for _ in 0..<10 { _ = try await store.maintain() } }
                try await group.waitForAll()
            }
            let report = try await store.checkIntegrity()
            #expect(report.problems == [])
            #expect(report.scans == 80)
        }
    }

    @Test func aBackupTakenWhileSavingOpensAndRestores() async throws {
        try await withStore { store, directory in
            for seed in 1...20 {
                _ = try await store.save(.fixture(), photo: someBytes(2_000, seed: UInt64(seed)))
            }
            let noted = try await store.scans.page(HistoryQuery()).items[0]
            _ = try await store.scans.update(id: noted.id, ScanUpdate(note: .set("vet"), correctedLabel: .set("korat")))
            try await store.scans.setFavourite("siamese", true)
            async let saving: Void = {
                for seed in 100..<140 {
                    _ = try await store.save(.fixture(), photo: someBytes(500, seed: UInt64(seed)))
                }
            }()
            let summary = try await store.backup(to: directory("backup"))
            try await saving
            #expect(summary.scans >= 20)
            #expect(summary.problems == [])

            let opened = try await HistoryStore.open(HistoryConfiguration(directory: directory("backup")))
            #expect(try await opened.checkIntegrity().problems == [])
            #expect(try await opened.scans.count() == summary.scans)
            try await opened.close()

            let other = try await HistoryStore.open(HistoryConfiguration(directory: directory("other")))
            let own = try await other.save(.fixture(), photo: [9])
            #expect(try await other.restore(from: directory("backup")).restored == summary.scans)
            #expect(try await other.restore(from: directory("backup")).skipped == summary.scans)
            #expect(try await other.scans.count() == summary.scans + 1)
            #expect(try await other.scans.scan(id: noted.id).note == "vet")
            #expect(try await other.photo(of: noted.id) == store.photo(of: noted.id))
            #expect(try await other.photo(of: own.id)?.bytes == [9])
            #expect(try await other.scans.favourites().map(\.articleID) == ["siamese"])
            #expect(try await other.checkIntegrity().problems == [])
            try await other.close()
            await #expect(throws: HistoryError.self) { try await store.backup(to: directory("backup")) }
            await #expect(throws: HistoryError.invalid(field: "backup", problem: "it has to name a new directory")) {
                try await store.backup(to: "")
            }
        }
    }

    @Test func aBackupRemovesWhatKilledOnesLeft() async throws {
        try await withStore { store, directory in
            let yesterday = Date(timeIntervalSinceNow: -90_000)
            let (old, new) = ("a.partial-\(ULID(date: yesterday))", "b.partial-\(ULID.next())")
            for name in [old, new, "c.partial-x"] {
                try FileManager.default.createDirectory(
                    atPath: directory("backups/\(name)/photos"), withIntermediateDirectories: true)
            }
            _ = try await store.backup(to: directory("backups/d"))
            let names = try FileManager.default.contentsOfDirectory(atPath: directory("backups"))
            #expect(names.sorted() == [new, "c.partial-x", "d"])
        }
    }

    @Test func aBackupAmongTheHistorysOwnFilesIsRefused() async throws {
        let directory = try TemporaryDirectory()
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory("h")))
        _ = try await store.save(.fixture(), photo: [1])
        try FileManager.default.createSymbolicLink(atPath: directory("link"), withDestinationPath: directory("h"))
        for place in ["h/photos/0/copy", "h/photos/../photos/copy", "h/copy", "link/videos"] {
            await #expect(throws: HistoryError.self, "\(place)") { try await store.backup(to: directory(place)) }
            #expect(!FileManager.default.fileExists(atPath: directory(place)))
        }
        for place in ["h/backup", "link/backups/monday", "hours"] {
            try FileManager.default.createDirectory(atPath: directory("h/backups"), withIntermediateDirectories: true)
            #expect(try await store.backup(to: directory(place)).scans == 1)
        }
        try await store.close()
    }

    /// SQLite would wait for a writer of the pipe for ever.
    @Test func aPipeInThePlaceOfTheDatabaseIsNamed() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("h"), withIntermediateDirectories: true)
        #expect(mkfifo(directory("h/history.sqlite"), 0o600) == 0)
        for mustExist in [false, true] {
            let configuration = HistoryConfiguration(directory: directory("h"), mustExist: mustExist)
            let error = await #expect(throws: HistoryError.self) { try await HistoryStore.open(configuration) }
            #expect(error?.description.contains("history.sqlite is a pipe") == true, "\(error?.description ?? "")")
        }
    }

    @Test func theCheckNamesWhatIsDamaged() async throws {
        let directory = try TemporaryDirectory()
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory("data")))
        let damaged = try await store.save(.fixture(), photo: [1, 2, 3])
        let missing = try await store.save(.fixture(), photo: [4, 5, 6])
        func path(_ scan: Scan) throws -> String {
            PhotoStore.path(of: try #require(scan.photo?.digest), in: directory("data/photos"))
        }
        try Data([1, 2, 4]).write(to: URL(fileURLWithPath: path(damaged)))
        FileSystem.remove(try path(missing))
        let report = try await store.checkIntegrity()
        #expect(report.scans == 2)
        #expect(report.problems.count == 2)
        #expect(report.problems.contains { $0.contains(damaged.photo?.digest.hexadecimal ?? "?") })
        #expect(report.problems.contains { $0.contains(missing.id.description) })
        await #expect(throws: HistoryError.corruptPhoto(path: try path(damaged))) {
            try await store.photo(of: damaged.id)
        }
        await #expect(throws: HistoryError.missingPhoto(path: try path(missing))) {
            try await store.photo(of: missing.id)
        }
        let summary = try await store.backup(to: directory("backup"))
        #expect(summary.problems.count == 2)
        try await store.close()
    }
}
