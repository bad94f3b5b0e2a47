import Base
import Foundation
import Testing

@testable import Storage

@Suite("Every store: deleted scans are taken in again") struct ReturnTests {
    @Test(arguments: TestedStore.allCases) func whatWasDeletedComesBackAsItIsGiven(store: TestedStore) async throws {
        let clock = TestClock()
        try await store.withRepository(clock: clock) { repository in
            let saved = try await repository.save(count: 5)
            let one = try await repository.delete(id: saved[0].id)
            let all = try await repository.deleteAll()
            var given = saved[0]
            given.note = "Vet: limps"
            given.correctedLabel = "birman"
            #expect(try await repository.insert([given, saved[1]]) == 2)
            #expect(try await repository.page(HistoryQuery()).items == [saved[1], given])
            #expect(try await repository.count() == 2)
            #expect(try await repository.page(HistoryQuery(label: "birman")).items == [given])
            #expect(try await repository.page(HistoryQuery(text: "LIMPS")).items == [given])
            // Each old deletion restores only its scans that are still missing.
            await #expect(throws: HistoryError.undoExpired(one.id.description)) { try await repository.undo(one.id) }
            #expect(try await repository.undo(all.id) == 3)
            #expect(try await repository.count() == 5)
            #expect(try await repository.scan(id: given.id) == given)
            // An existing scan is left alone.
            #expect(try await repository.insert(saved) == 0)
            #expect(try await repository.scan(id: given.id).note == "Vet: limps")
        }
    }

    @Test(arguments: TestedStore.allCases) func anOldDeletionDoesNotTouchANewOne(store: TestedStore) async throws {
        let clock = TestClock()
        try await store.withRepository(clock: clock) { repository in
            let saved = try await repository.save(count: 2)
            let first = try await repository.deleteAll()
            #expect(try await repository.insert(saved) == 2)
            clock.advance(by: 1)
            let second = try await repository.delete(id: saved[0].id)
            await #expect(throws: HistoryError.undoExpired(first.id.description)) {
                try await repository.undo(first.id)
            }
            #expect(try await repository.page(HistoryQuery()).items == [saved[1]])
            // The first grace period is over. The second is not.
            clock.advance(by: 599.5)
            #expect(try await repository.purgeDeleted().count == 0)
            #expect(try await repository.undo(second.id) == 1)
            #expect(try await repository.count() == 2)
        }
    }

    @Test(arguments: TestedStore.allCases) func whatIsGoneForGoodComesBackToo(store: TestedStore) async throws {
        let clock = TestClock()
        try await store.withRepository(clock: clock) { repository in
            let saved = try await repository.save(count: 3)
            let deletion = try await repository.deleteAll()
            clock.advance(by: 601)
            #expect(try await repository.purgeDeleted().count == 3)
            #expect(try await repository.insert(saved) == 3)
            await #expect(throws: HistoryError.undoExpired(deletion.id.description)) {
                try await repository.undo(deletion.id)
            }
            #expect(try await repository.page(HistoryQuery()).items == saved.reversed())
            #expect(try await repository.purgeDeleted().count == 0)
        }
    }

    @Test(arguments: TestedStore.allCases) func theIdempotencyKeyOfAReturnedScanStaysItsOwn(
        store: TestedStore
    ) async throws {
        try await store.withRepository { repository in
            let scan = try await repository.save(.fixture(), photo: nil, idempotencyKey: "k")
            _ = try await repository.delete(id: scan.id)
            #expect(try await repository.insert([scan]) == 1)
            #expect(try await repository.scan(idempotencyKey: "k") == scan)
            let again = Scan.fixture(sha256: scan.image.sha256)
            #expect(try await repository.save(again, photo: nil, idempotencyKey: "k") == scan)
            #expect(try await repository.count() == 1)
        }
    }

    @Test(arguments: TestedStore.allCases) func aScanKeepsItsPhotoAndGetsTheOneThatItLacks(
        store: TestedStore
    ) async throws {
        try await store.withRepository { repository in
            let photo = StoredPhoto(digest: ContentDigest(of: [1]), byteCount: 100)
            let other = StoredPhoto(digest: ContentDigest(of: [2]), byteCount: 50)
            let scan = try await repository.save(.fixture(), photo: photo, idempotencyKey: nil)
            var bare = scan
            bare.photo = nil
            // JSON lines contain no photos. The scan keeps the one it had.
            _ = try await repository.delete(id: scan.id)
            #expect(try await repository.insert([bare]) == 1)
            #expect(try await repository.scan(id: scan.id) == scan)
            #expect(try await repository.referenced(among: [photo.digest]) == [photo.digest])
            // A line of a scan that had no photo brings it back without one.
            _ = try await repository.delete(id: scan.id)
            #expect(try await repository.insert([bare], keepsPhotos: false) == 1)
            #expect(try await repository.scan(id: scan.id) == bare)
            // An archive contains a photo, which the restored scan gets.
            var replaced = scan
            replaced.photo = other
            _ = try await repository.delete(id: scan.id)
            #expect(try await repository.insert([replaced]) == 1)
            #expect(try await repository.scan(id: scan.id).photo == other)
            #expect(try await repository.referenced(among: [photo.digest, other.digest]) == [other.digest])
            // A scan from JSON lines gets its photo later from an archive, and keeps notes added since.
            var late = Scan.fixture()
            #expect(try await repository.insert([late]) == 1)
            let noted = try await repository.update(
                id: late.id, ScanUpdate(note: .set("since"), correctedLabel: .keep))
            late.photo = photo
            #expect(try await repository.insert([late]) == 1)
            let completed = try await repository.scan(id: late.id)
            #expect(completed.photo == photo && completed.note == noted.note)
            #expect(try await repository.enforce(RetentionPolicy(maximumBytes: 150)).count == 0)
            #expect(try await repository.enforce(RetentionPolicy(maximumBytes: 149)).count == 1)
        }
    }
}
