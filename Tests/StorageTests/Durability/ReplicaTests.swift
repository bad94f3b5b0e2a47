import Base
import Foundation
import Testing
import TestSupport

@testable import Storage

@Suite("PostgreSQL: what replicas with folders of their own share", .slow, .enabled(if: PostgreSQLServer.isAvailable))
struct ReplicaTests {
    private let clock = TestClock()

    private func open(
        _ database: String, _ directory: String, patience: TimeInterval = 30
    ) async throws -> HistoryStore {
        let clock = clock
        return try await HistoryStore.open(
            HistoryConfiguration(
                backend: .postgreSQL(connectionString: database), directory: directory,
                options: RepositoryOptions(undoGrace: 600, patience: patience, now: { clock.now }), orphanAge: 0))
    }

    private func withReplicas(
        _ body: (_ first: HistoryStore, _ second: HistoryStore, _ database: String) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let first = try await open(database, directory("first"))
        let second = try await open(database, directory("second"))
        try await body(first, second, database)
        #expect(try await second.checkIntegrity().problems == [])
        try await first.close()
        try await second.close()
    }

    // MARK: Work

    @Test func workIsOneReplicasUntilItsClaimRunsOut() async throws {
        try await withReplicas { first, second, _ in
            let (here, there) = (try #require(first.claims), try #require(second.claims))
            let job = ULID.next()
            #expect(try await here.claim(job, for: 60))
            #expect(try await !there.claim(job, for: 60))
            #expect(try await here.claim(job, for: 60))
            try await there.release(job)
            #expect(try await !there.claim(job, for: 60))
            try await here.release(job)
            #expect(try await there.claim(job, for: -2))
            #expect(try await here.claim(job, for: 60))
            #expect(try await !there.claim(job, for: 60))
            // Such a claim is left when the server's clock is set back.
            #expect(try await here.claim(job, for: 86_400))
            #expect(try await there.claim(job, for: 60))
        }
    }

    @Test func oneOfManyHasTheClaim() async throws {
        try await withReplicas { first, second, _ in
            for _ in 0..<20 {
                let job = ULID.next()
                async let here = first.claims?.claim(job, for: 60)
                async let there = second.claims?.claim(job, for: 60)
                let claims = try await [here, there]
                #expect(claims.count { $0 == true } == 1)
            }
        }
    }

    @Test func filesAreChangedByOneReplicaAfterTheOther() async throws {
        try await withReplicas { first, second, _ in
            let (here, there) = (try #require(first.files), try #require(second.files))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    let files = number % 2 == 0 ? here : there
                    group.addTask { _ = try await files.change("a/count", initially: []) { $0 + [UInt8(number)] } }
                }
                try await group.waitForAll()
            }
            #expect(try await here.file("a/count").map(Set.init)?.count == 100)
            try await here.replace(["a/b": [0, 255], "ab": []])
            #expect(try await there.files(under: "a/").keys.sorted() == ["a/b", "a/count"])
            #expect(try await there.add("a/b", [7]) == [0, 255])
            try await there.remove(under: "a/", leaving: "a/removed")
            #expect(try await here.paths(under: "a") == ["a/removed", "ab"])
        }
    }

    // MARK: Photos

    @Test func aPhotoIsReadAndRemovedByEveryReplica() async throws {
        try await withReplicas { first, second, _ in
            let photo = someBytes(90_000, seed: 1)
            let scan = try await first.save(.fixture(), photo: photo)
            let bare = try await first.save(.fixture(), photo: [])
            #expect(try await second.photo(of: scan.id)?.bytes == photo)
            #expect(try await second.photo(of: bare.id)?.bytes == [])
            #expect(try await second.maintain() == PurgeSummary())
            _ = try await second.scans.delete(id: scan.id)
            clock.advance(by: 601)
            let summary = try await second.maintain()
            #expect(summary.expired == 1)
            #expect(summary.orphans == 1)
            #expect(summary.freedBytes == 90_000)
            let digest = ContentDigest(of: photo)
            await #expect(throws: HistoryError.self) { try await first.photos.read(digest) }
            #expect(try await !first.photos.contains([digest]))
        }
    }

    @Test func aPhotoStaysWhileAnyReplicaSavesIt() async throws {
        try await withReplicas { first, second, _ in
            for turn in 0..<60 {
                let photo = someBytes(2_000, seed: UInt64(turn))
                let early = try await first.save(.fixture(), photo: photo)
                _ = try await first.scans.delete(id: early.id)
                clock.advance(by: 601)
                // One replica removes the photo while the other saves it.
                async let removal = first.maintain(sweeping: 0..<0)
                async let scan = second.save(.fixture(), photo: photo)
                _ = try await removal
                #expect(try await first.photo(of: scan.id)?.bytes == photo)
            }
        }
    }

    @Test func replicasThatSaveTheSamePhotosDoNotHoldEachOtherUp() async throws {
        try await withReplicas { first, second, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    let store = number % 2 == 0 ? first : second
                    group.addTask { _ = try await store.save(.fixture(), photo: [UInt8(number / 2 % 5)]) }
                }
                try await group.waitForAll()
            }
            #expect(try await first.scans.count() == 200)
            #expect(try await first.checkIntegrity().photos == 5)
        }
    }

    @Test func aDamagedOrLargePhotoIsRefused() async throws {
        let directory = try TemporaryDirectory()
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let store = try await open(database, directory("data"))
        let limit = PhotoStore.defaultMaximumBytes
        await #expect(throws: HistoryError.photoTooLarge(bytes: limit + 1, limit: limit)) {
            try await store.save(.fixture(), photo: [UInt8](repeating: 1, count: limit + 1))
        }
        let scan = try await store.save(.fixture(), photo: [1, 2, 3])
        try PostgreSQLConnection(database).command("UPDATE photos SET bytes = '\\x010204'")
        await #expect(throws: HistoryError.self) { try await store.photo(of: scan.id) }
        #expect(try await store.checkIntegrity().problems.count == 1)
        try await store.close()
    }

    @Test func photosThatWereFilesBecomeRows() async throws {
        let directory = try TemporaryDirectory()
        let database = try PostgreSQLServer.shared.get().newDatabase()
        // An earlier version stored photos in this way.
        let files = try await PhotoStore.open(directory: directory("first/photos"))
        let photos = (1...20).map { someBytes(900, seed: UInt64($0)) }
        let digests = try await files.store(photos)
        await files.close()
        let first = try await open(database, directory("first"))
        for digest in digests {
            let photo = StoredPhoto(digest: digest, byteCount: 900)
            _ = try await first.scans.save(.fixture(), photo: photo, idempotencyKey: nil)
        }
        #expect(try await first.photos.read(digests[0]) == photos[0])
        #expect(try await first.checkIntegrity().problems == [])
        #expect(try await first.maintain() == PurgeSummary())
        let second = try await open(database, directory("second"))
        for (digest, photo) in zip(digests, photos) {
            #expect(try await second.photos.read(digest) == photo)
            #expect(FileSystem.attributes(PhotoStore.path(of: digest, in: directory("first/photos"))) == nil)
        }
        #expect(try await first.checkIntegrity() == IntegrityReport(scans: 20, photos: 20))
        try await first.close()
        try await second.close()
    }

    // MARK: Upkeep, undo

    @Test func oneReplicaAtATimeRemovesWhatIsDue() async throws {
        try await withReplicas { first, _, database in
            let scan = try await first.save(.fixture(), photo: [1])
            _ = try await first.scans.delete(id: scan.id)
            clock.advance(by: 601)
            let other = try PostgreSQLConnection(database)
            try other.command("BEGIN")
            #expect(try other.becomesJanitor())
            #expect(try await first.maintain() == PurgeSummary())
            try other.command("ROLLBACK")
            let summary = try await first.maintain()
            #expect(summary.expired == 1)
            #expect(summary.orphans == 1)
        }
    }

    @Test func aDeletionIsUndoneOnceByWhicheverReplicaIsFirst() async throws {
        try await withReplicas { first, second, _ in
            for _ in 0..<40 {
                let scan = try await first.save(.fixture())
                let deletion = try await second.scans.delete(id: scan.id)
                let restored = await withTaskGroup(of: Int.self) { group in
                    for store in [first, second, first, second] {
                        group.addTask { (try? await store.scans.undo(deletion.id)) ?? 0 }
                    }
                    return await group.reduce(0, +)
                }
                #expect(restored == 1)
                #expect(try await second.scans.scan(id: scan.id) == scan)
            }
        }
    }

    // MARK: Jobs, changes

    @Test func aRemovedJobStaysRemoved() async throws {
        try await withReplicas { first, second, _ in
            var job = JobRow(id: .next(), kind: "video", state: "waiting", document: "{}")
            try await first.scans.saveJob(job)
            job.state = "working"
            #expect(try await first.scans.updateJob(job, unless: []))
            #expect(try await second.scans.job("video", id: job.id)?.state == "working")
            #expect(try await !second.scans.updateJob(job, unless: ["done", "working"]))
            #expect(try await second.scans.updateJob(job, unless: ["done", "failed"]))
            #expect(try await second.scans.removeJob("video", id: job.id))
            job.state = "done"
            #expect(try await !first.scans.updateJob(job, unless: []))
            #expect(try await second.scans.job("video", id: job.id) == nil)
        }
    }

    @Test func aReplicaIsTheOneOfItsFolder() async throws {
        let directory = try TemporaryDirectory()
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let first = try await open(database, directory("data"))
        let other = try await open(database, directory("other"))
        try await first.close()
        let again = try await open(database, directory("data"))
        #expect(again.folder != nil && again.folder == first.folder)
        #expect(other.folder != first.folder)
        try await again.close()
        try await other.close()
    }

    @Test func replicasTellEachOtherWhatHasChanged() async throws {
        let directory = try TemporaryDirectory()
        let server = try PostgreSQLServer()
        let database = try server.newDatabase()
        let first = try await open(database, directory("first"), patience: 300)
        let second = try await open(database, directory("second"), patience: 300)
        let told = (first: Locked(0), second: Locked(0))
        first.observeChanges { _ in told.first.withLock { $0 += 1 } }
        second.observeChanges { _ in told.second.withLock { $0 += 1 } }
        // Nothing arrives before the replica listens.
        try await eventually {
            await first.notify(.individuals)
            return told.second.withLock { $0 } > 0
        }
        #expect(told.first.withLock { $0 } == 0)
        try server.control("-m immediate stop")
        try server.control("start")
        // Other changes may have been announced meanwhile.
        try await eventually { told.first.withLock { $0 } == HistoryChange.allCases.count }
        try server.control("-m fast stop")
        try await first.close()
        try await second.close()
    }
}
