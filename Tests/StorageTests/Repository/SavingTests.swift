import Base
import Foundation
import Testing

@testable import Storage

@Suite("Every store: saving and reading") struct SavingTests {
    @Test(arguments: TestedStore.allCases) func everythingAScanKnewComesBack(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let photo = StoredPhoto(digest: ContentDigest(of: [1]), byteCount: 12_345)
            let new = Scan.fixture(photo: photo)
            let saved = try await repository.save(new, photo: photo, idempotencyKey: nil)
            let read = try await repository.scan(id: new.id)
            #expect(read == saved)
            #expect(read == new)
            #expect(read.createdAt == new.id.date)
            #expect(read.heads["fruit"]?.first?.confidence == Float(1) / 3)
            #expect(try await repository.count() == 1)
        }
    }

    @Test(arguments: TestedStore.allCases) func usageTellsScansAndBytes(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let empty = try await repository.usage()
            #expect(empty.scans == 0 && empty.photoBytes == 0)
            for number in 0..<2 {
                let photo = StoredPhoto(digest: ContentDigest(of: [UInt8(number)]), byteCount: 1_000 + number)
                _ = try await repository.save(.fixture(), photo: photo, idempotencyKey: nil)
            }
            let usage = try await repository.usage()
            #expect(usage.scans == 2 && usage.photoBytes == 2_001)
            // Both databases use pages of several kilobytes. The store in memory has none.
            #expect(usage.databaseBytes > 8_192)
        }
    }

    @Test(arguments: TestedStore.allCases) func anUnknownIDIsNotFound(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let id = ULID.next()
            await #expect(throws: HistoryError.notFound(id.description)) { try await repository.scan(id: id) }
            await #expect(throws: HistoryError.notFound(id.description)) {
                try await repository.update(id: id, ScanUpdate(note: .set("x")))
            }
            await #expect(throws: HistoryError.notFound(id.description)) { try await repository.delete(id: id) }
        }
    }

    @Test(arguments: TestedStore.allCases) func aKeyOfAnotherRequestIsRefused(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let photo = ContentDigest(of: [7])
            func scan(_ request: UInt8?) -> Scan {
                var scan = Scan.fixture(sha256: photo)
                scan.request = request.map { ContentDigest(of: [$0]) }
                return scan
            }
            let first = try await repository.save(scan(1), photo: nil, idempotencyKey: "k")
            #expect(try await repository.scan(id: first.id).request == ContentDigest(of: [1]))
            #expect(try await repository.save(scan(1), photo: nil, idempotencyKey: "k") == first)
            await #expect(throws: HistoryError.idempotencyKeyReused("k")) {
                try await repository.save(scan(2), photo: nil, idempotencyKey: "k")
            }
            // A scan without the request's fingerprint is recognised by its photo.
            #expect(try await repository.save(scan(nil), photo: nil, idempotencyKey: "k") == first)
            #expect(try await repository.count() == 1)
        }
    }

    @Test(arguments: TestedStore.allCases) func aRetryWithTheSameKeySavesOnce(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let photo = ContentDigest(of: [7])
            let first = try await repository.save(.fixture(sha256: photo), photo: nil, idempotencyKey: "k1")
            let again = try await repository.save(.fixture(sha256: photo), photo: nil, idempotencyKey: "k1")
            #expect(again == first)
            #expect(try await repository.count() == 1)
            #expect(try await repository.scan(idempotencyKey: "k1") == first)
            #expect(try await repository.scan(idempotencyKey: "k2") == nil)
            await #expect(throws: HistoryError.idempotencyKeyReused("k1")) {
                try await repository.save(.fixture(), photo: nil, idempotencyKey: "k1")
            }
            #expect(try await repository.count() == 1)
        }
    }

    /// The first answer holds while its scan can be restored. Then the key is free again.
    @Test(arguments: TestedStore.allCases) func aRetryUnderADeletedScanSavesNothing(store: TestedStore) async throws {
        let clock = TestClock()
        try await store.withRepository(clock: clock) { repository in
            let photo = ContentDigest(of: [7])
            let first = try await repository.save(.fixture(sha256: photo), photo: nil, idempotencyKey: "k1")
            let deletion = try await repository.delete(id: first.id)
            let again = try await repository.save(.fixture(sha256: photo), photo: nil, idempotencyKey: "k1")
            #expect(again == first)
            #expect(try await repository.scan(idempotencyKey: "k1") == first)
            #expect(try await repository.count() == 0)
            #expect(try await repository.undo(deletion.id) == 1)
            #expect(try await repository.count() == 1)
            _ = try await repository.delete(id: first.id)
            clock.advance(by: 601)
            #expect(try await repository.purgeDeleted().count == 1)
            #expect(try await repository.scan(idempotencyKey: "k1") == nil)
            let new = try await repository.save(.fixture(sha256: photo), photo: nil, idempotencyKey: "k1")
            #expect(new.id != first.id)
            #expect(try await repository.count() == 1)
        }
    }

    @Test(arguments: TestedStore.allCases) func aSaveTellsOfEarlierScansOfItsPhoto(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let photo = ContentDigest(of: [9])
            func saved(_ scan: Scan, key: String? = nil) async throws -> SavedScan {
                try await repository.save(scan, writing: [], idempotencyKey: key)
            }
            let first = try await saved(.fixture(sha256: photo), key: "k")
            let second = try await saved(.fixture(sha256: photo))
            #expect(first.seenBefore == [] && second.seenBefore == [first.scan.id])
            #expect(try await saved(.fixture()).seenBefore == [])
            let third = Scan.fixture(sha256: photo)
            #expect(try await saved(third).seenBefore == [second.scan.id, first.scan.id])
            // The same id again changes nothing.
            #expect(try await saved(third).seenBefore == [second.scan.id, first.scan.id])
            #expect(try await saved(.fixture(sha256: photo), key: "k").scan == first.scan)
            #expect(try await repository.count() == 4)
        }
    }

    @Test(arguments: TestedStore.allCases) func boxesComeBackAndSoDoesTheirAbsence(store: TestedStore) async throws {
        try await store.withRepository { repository in
            for boxes in [
                nil, [],
                [
                    Box(
                        x: 0.1, y: 0.2, width: 1.0 / 3.0, height: 0.6, label: "cat", confidence: 0.9,
                        predictions: [Prediction(label: "siamese", confidence: 0.7)]),
                    Box(x: 0, y: 0, width: 1, height: 1, label: "zebra", confidence: 1),
                ],
            ] as [[Box]?] {
                var scan = Scan.fixture()
                scan.boxes = boxes
                try await repository.save(scan)
                #expect(try await repository.scan(id: scan.id).boxes == boxes)
                let page = try await repository.page(HistoryQuery(limit: 1))
                #expect(page.items.first?.boxes == boxes)
            }
        }
    }

    @Test(arguments: TestedStore.allCases) func concurrentRetriesSaveOnce(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let photo = ContentDigest(of: [7])
            let ids = try await withThrowingTaskGroup(of: ULID.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await repository.save(.fixture(sha256: photo), photo: nil, idempotencyKey: "k").id
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await repository.count() == 1)
        }
    }

    @Test(arguments: TestedStore.allCases) func concurrentSavesAreAllThere(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let scans = (0..<200).map { _ in Scan.fixture() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for scan in scans { group.addTask { try await repository.save(scan) } }
                try await group.waitForAll()
            }
            for scan in scans { #expect(try await repository.scan(id: scan.id).id == scan.id) }
            #expect(try await repository.count() == 200)
        }
    }

    @Test(arguments: TestedStore.allCases) func oneBadSaveLeavesItsNeighboursAlone(store: TestedStore) async throws {
        try await store.withRepository { repository in
            _ = try await repository.save(.fixture(), photo: nil, idempotencyKey: "taken")
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<40 {
                    let key = index % 4 == 0 ? "taken" : nil
                    group.addTask {
                        (try? await repository.save(.fixture(), photo: nil, idempotencyKey: key)) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(outcomes == 30)
            #expect(try await repository.count() == 31)
        }
    }

    @Test(arguments: TestedStore.allCases) func importedScansKeepIdentityAndCorrections(store: TestedStore) async throws
    {
        try await store.withRepository { repository in
            var scan = Scan.fixture(id: ULID(date: Date(milliseconds: 1_500_000_000_123)))
            scan.note = "Asunto 4, Räyskälä"
            scan.correctedLabel = "korat"
            let added = try await repository.insert([scan])
            #expect(added == 1)
            #expect(try await repository.insert([scan]) == 0)
            #expect(try await repository.scan(id: scan.id) == scan)
            #expect(try await repository.page(HistoryQuery(label: "korat")).items == [scan])
        }
    }

    @Test(arguments: TestedStore.allCases) func theSamePhotoIsRecognised(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let photo = ContentDigest(of: [9])
            let first = try await repository.save(.fixture(sha256: photo))
            let second = try await repository.save(.fixture(sha256: photo))
            try await repository.save(.fixture())
            #expect(try await repository.scanIDs(withDigest: photo) == [second.id, first.id])
            #expect(try await repository.scanIDs(withDigest: photo) == [second.id, first.id])
            _ = try await repository.delete(id: second.id)
            #expect(try await repository.scanIDs(withDigest: photo) == [first.id])
            #expect(try await repository.scanIDs(withDigest: photo) == [first.id])
        }
    }

    @Test(
        arguments: TestedStore.allCases,
        ["", "a\u{0}b", "line\nbreak", String(repeating: "x", count: 201)])
    func labelsThatNoStoreShouldHoldAreRefused(store: TestedStore, label: String) async throws {
        try await store.withRepository { repository in
            await #expect(throws: HistoryError.invalid(field: "predictions", problem: ScanUpdate.labelRule)) {
                try await repository.save(.fixture(label: label))
            }
            let scan = try await repository.save(.fixture())
            await #expect(throws: HistoryError.invalid(field: "corrected_label", problem: ScanUpdate.labelRule)) {
                try await repository.update(id: scan.id, ScanUpdate(correctedLabel: .set(label)))
            }
            #expect(try await repository.count() == 1)
        }
    }

    @Test(arguments: TestedStore.allCases) func textThatLooksLikeSQLIsOnlyText(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let text = "'); DROP TABLE scans; -- ? $1 %_\\ \u{1F408}"
            let scan = try await repository.save(.fixture(label: "'; --"))
            let updated = try await repository.update(id: scan.id, ScanUpdate(note: .set(text)))
            #expect(updated.note == text)
            #expect(try await repository.page(HistoryQuery(text: text)).items == [updated])
            #expect(try await repository.page(HistoryQuery(label: "'; --")).items == [updated])
            #expect(try await repository.page(HistoryQuery(text: "%")).total == 1)
            #expect(try await repository.page(HistoryQuery(text: "%%")).total == 0)
        }
    }
}
