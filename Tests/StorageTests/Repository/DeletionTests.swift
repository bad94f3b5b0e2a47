import Base
import Foundation
import Testing

@testable import Storage

@Suite("Every store: deletion, undo, retention, collection") struct DeletionTests {
    @Test(arguments: TestedStore.allCases) func aDeletionCanBeUndoneWithinTheGraceTime(store: TestedStore) async throws
    {
        let clock = TestClock()
        try await store.withRepository(clock: clock) { repository in
            let saved = try await repository.save(count: 3)
            let deletion = try await repository.delete(id: saved[1].id)
            #expect(deletion.count == 1)
            await #expect(throws: HistoryError.notFound(saved[1].id.description)) {
                try await repository.scan(id: saved[1].id)
            }
            clock.advance(by: 599)
            #expect(try await repository.purgeDeleted().count == 0)
            #expect(try await repository.undo(deletion.id) == 1)
            #expect(try await repository.scan(id: saved[1].id) == saved[1])
            await #expect(throws: HistoryError.undoExpired(deletion.id.description)) {
                try await repository.undo(deletion.id)
            }
        }
    }

    @Test(arguments: TestedStore.allCases) func afterTheGraceTimeItIsGone(store: TestedStore) async throws {
        let clock = TestClock()
        try await store.withRepository(clock: clock) { repository in
            let photo = StoredPhoto(digest: ContentDigest(of: [1]), byteCount: 2)
            let scan = try await repository.save(.fixture(), photo: photo, idempotencyKey: nil)
            let digests = [photo.digest, ContentDigest(of: [2])]
            let deletion = try await repository.delete(id: scan.id)
            #expect(try await repository.referenced(among: digests) == [photo.digest])
            clock.advance(by: 601)
            await #expect(throws: HistoryError.undoExpired(deletion.id.description)) {
                try await repository.undo(deletion.id)
            }
            #expect(try await repository.purgeDeleted() == Removal(count: 1, digests: [photo.digest]))
            #expect(try await repository.referenced(among: digests).isEmpty)
            #expect(try await repository.purgeDeleted().count == 0)
        }
    }

    @Test(arguments: TestedStore.allCases) func aSelectionSkipsWhatIsNotThere(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let saved = try await repository.save(count: 4)
            let deletion = try await repository.delete(ids: [saved[0].id, saved[2].id, saved[2].id, .next()])
            #expect(deletion.count == 2)
            #expect(try await repository.page(HistoryQuery()).items.map(\.id) == [saved[3].id, saved[1].id])
            #expect(try await repository.delete(ids: []).count == 0)
        }
    }

    @Test(arguments: TestedStore.allCases) func deletingAllIsOneDeletion(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let saved = try await repository.save(count: 30)
            let earlier = try await repository.delete(id: saved[0].id)
            let deletion = try await repository.deleteAll()
            #expect(deletion.count == 29)
            #expect(try await repository.page(HistoryQuery()).items.isEmpty)
            #expect(try await repository.undo(deletion.id) == 29)
            #expect(try await repository.count() == 29)
            #expect(try await repository.undo(earlier.id) == 1)
            #expect(try await repository.count() == 30)
        }
    }

    @Test(arguments: TestedStore.allCases) func retentionByAgeRemovesTheOld(store: TestedStore) async throws {
        let clock = TestClock()
        try await store.withRepository(clock: clock) { repository in
            let old = try await repository.save(.fixture(id: ULID(date: clock.now.addingTimeInterval(-100))))
            let new = try await repository.save(.fixture(id: ULID(date: clock.now.addingTimeInterval(-10))))
            #expect(try await repository.enforce(RetentionPolicy()).count == 0)
            #expect(try await repository.enforce(RetentionPolicy(maximumAge: 50)).count == 1)
            #expect(try await repository.page(HistoryQuery()).items.map(\.id) == [new.id])
            #expect(old.id != new.id)
        }
    }

    @Test(arguments: TestedStore.allCases) func retentionByBytesRemovesTheOldestFirst(store: TestedStore) async throws {
        try await store.withRepository { repository in
            var ids: [ULID] = []
            for index in 0..<5 {
                let photo = StoredPhoto(
                    digest: ContentDigest(of: [UInt8(index)]), byteCount: 100)
                let id = ULID(date: Date(milliseconds: 1_700_000_000_000 + Int64(index)))
                ids.append(try await repository.save(.fixture(id: id), photo: photo, idempotencyKey: nil).id)
            }
            #expect(try await repository.enforce(RetentionPolicy(maximumBytes: 500)).count == 0)
            #expect(try await repository.enforce(RetentionPolicy(maximumBytes: 250)).count == 3)
            #expect(try await repository.page(HistoryQuery()).items.map(\.id) == [ids[4], ids[3]])
        }
    }

    @Test(arguments: TestedStore.allCases) func favouritesAreListedNewestFirst(store: TestedStore) async throws {
        let clock = TestClock()
        try await store.withRepository(clock: clock) { repository in
            try await repository.setFavourite("siamese", true)
            let first = clock.now
            clock.advance(by: 5)
            try await repository.setFavourite("beagle", true)
            try await repository.setFavourite("siamese", true)
            let expected = [
                Favourite(articleID: "beagle", since: clock.now), Favourite(articleID: "siamese", since: first),
            ]
            #expect(try await repository.favourites() == expected)
            try await repository.setFavourite("beagle", false)
            try await repository.setFavourite("beagle", false)
            #expect(try await repository.favourites().map(\.articleID) == ["siamese"])
            await #expect(throws: HistoryError.self) { try await repository.setFavourite("", true) }
        }
    }

    @Test(arguments: TestedStore.allCases) func theCollectionKnowsFirstAndLastMeeting(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let start = Date(milliseconds: 1_700_000_000_000)
            for (second, label, abstained) in [
                (0.0, "siamese", true), (1, "siamese", false), (2, "beagle", false), (3, "siamese", false),
                (4, "siamese", true), (5, "korat", true),
            ] {
                let id = ULID(date: start.addingTimeInterval(second))
                try await repository.save(.fixture(id: id, label: label, abstained: abstained))
            }
            let expected = [
                CollectionEntry(
                    label: "beagle", firstMet: start.addingTimeInterval(2), lastMet: start.addingTimeInterval(2),
                    count: 1),
                CollectionEntry(
                    label: "siamese", firstMet: start.addingTimeInterval(1), lastMet: start.addingTimeInterval(3),
                    count: 2),
            ]
            #expect(try await repository.collection() == expected)
            _ = try await repository.deleteAll()
            #expect(try await repository.collection() == [])
        }
    }

    @Test(arguments: TestedStore.allCases) func aBackupHoldsTheWholeHistory(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let saved = try await repository.save(count: 150)
            _ = try await repository.update(id: saved[3].id, ScanUpdate(note: .set("x"), correctedLabel: .set("korat")))
            try await repository.setFavourite("siamese", true)
            let directory = try TemporaryDirectory()
            try await repository.backup(to: directory("copy.sqlite"))
            let copy = try await SQLiteDatabase.repository(path: directory("copy.sqlite"), options: RepositoryOptions())
            #expect(try await copy.count() == 150)
            #expect(try await copy.scan(id: saved[3].id) == repository.scan(id: saved[3].id))
            #expect(try await copy.favourites().map(\.articleID) == ["siamese"])
            #expect(try await copy.checkIntegrity() == [])
            try await copy.close()
            await #expect(throws: HistoryError.self) { try await repository.backup(to: directory("copy.sqlite")) }
        }
    }
}
