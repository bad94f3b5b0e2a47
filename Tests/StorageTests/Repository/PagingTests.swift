import Base
import Foundation
import Testing

@testable import Storage

@Suite("Every store: pages and filters") struct PagingTests {
    @Test(arguments: TestedStore.allCases, [1, 7, 100])
    func pagesVisitEveryScanOnceNewestFirst(store: TestedStore, limit: Int) async throws {
        try await store.withRepository { repository in
            let saved = try await repository.save(count: 105)
            var seen: [ULID] = []
            var query = HistoryQuery(limit: limit)
            repeat {
                let page = try await repository.page(query)
                #expect(page.total == 105)
                #expect(page.totalIsExact)
                #expect(page.items.count == min(limit, 105 - seen.count))
                seen += page.items.map(\.id)
                query.cursor = page.nextCursor
            } while query.cursor != nil
            #expect(seen == saved.reversed().map(\.id))
        }
    }

    @Test(arguments: TestedStore.allCases) func scansOfOneMillisecondAreNotLostBetweenPages(store: TestedStore)
        async throws
    {
        try await store.withRepository { repository in
            let date = Date(milliseconds: 1_700_000_000_000)
            var ids: [ULID] = []
            for _ in 0..<9 { ids.append(try await repository.save(.fixture(id: ULID(date: date))).id) }
            let first = try await repository.page(HistoryQuery(limit: 4))
            let second = try await repository.page(HistoryQuery(limit: 4, cursor: first.nextCursor))
            let third = try await repository.page(HistoryQuery(limit: 4, cursor: second.nextCursor))
            #expect((first.items + second.items + third.items).map(\.id) == ids.sorted().reversed())
            #expect(third.nextCursor == nil)
        }
    }

    @Test(arguments: TestedStore.allCases) func changesBetweenPagesNeitherRepeatNorHide(store: TestedStore) async throws
    {
        try await store.withRepository { repository in
            let saved = try await repository.save(count: 6)
            let first = try await repository.page(HistoryQuery(limit: 2))
            #expect(first.items.map(\.id) == [saved[5].id, saved[4].id])
            _ = try await repository.delete(id: saved[4].id)
            try await repository.save(.fixture(id: ULID(date: Date(milliseconds: 1_900_000_000_000))))
            let second = try await repository.page(HistoryQuery(limit: 2, cursor: first.nextCursor))
            #expect(second.items.map(\.id) == [saved[3].id, saved[2].id])
        }
    }

    @Test(arguments: TestedStore.allCases, [-1, 0, 101, Int.max])
    func limitsOutsideTheRangeAreRefused(store: TestedStore, limit: Int) async throws {
        try await store.withRepository { repository in
            await #expect(
                throws: HistoryError.invalid(field: "limit", problem: "\(limit) is outside 1 to 100")
            ) { try await repository.page(HistoryQuery(limit: limit)) }
        }
    }

    @Test(arguments: TestedStore.allCases) func filtersRestrictItemsAndTotals(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let start = Date(milliseconds: 1_700_000_000_000)
            func save(_ second: Double, _ label: String, _ species: String, _ abstained: Bool = false) async throws
                -> ULID
            {
                let id = ULID(date: start.addingTimeInterval(second))
                return try await repository.save(
                    .fixture(id: id, label: label, species: species, abstained: abstained)
                ).id
            }
            let siamese = try await save(0, "siamese", "cat")
            let beagle = try await save(1, "beagle", "dog")
            let unsure = try await save(2, "siamese", "cat", true)
            let wrong = try await save(3, "siamese", "cat")
            _ = try await repository.update(
                id: wrong, ScanUpdate(note: .set("Owner says ÄITI's dog"), correctedLabel: .set("beagle")))

            func found(_ query: HistoryQuery) async throws -> [ULID] {
                let page = try await repository.page(query)
                #expect(page.total == page.items.count)
                return page.items.map(\.id)
            }
            #expect(try await found(HistoryQuery(label: "siamese")) == [unsure, siamese])
            #expect(try await found(HistoryQuery(label: "beagle")) == [wrong, beagle])
            // This label ranks second in every scan, so it is no scan's label.
            #expect(try await found(HistoryQuery(label: "birman")) == [])
            #expect(try await found(HistoryQuery(species: "dog")) == [beagle])
            #expect(try await found(HistoryQuery(label: "beagle", species: "cat")) == [wrong])
            #expect(try await found(HistoryQuery(corrected: true)) == [wrong])
            #expect(try await found(HistoryQuery(corrected: false)) == [unsure, beagle, siamese])
            #expect(try await found(HistoryQuery(abstained: true)) == [unsure])
            #expect(try await found(HistoryQuery(text: "äiti")) == [wrong])
            #expect(try await found(HistoryQuery(text: "nobody")) == [])
            #expect(try await found(HistoryQuery(text: "")).count == 4)
            // The range includes its lower bound but not the upper one.
            #expect(
                try await found(HistoryQuery(from: start.addingTimeInterval(1), to: start.addingTimeInterval(3)))
                    == [unsure, beagle])
            #expect(
                try await found(HistoryQuery(label: "siamese", from: start.addingTimeInterval(1))) == [unsure])
        }
    }

    @Test(arguments: TestedStore.allCases) func totalsFollowEveryChange(store: TestedStore) async throws {
        try await store.withRepository { repository in
            func totals() async throws -> [Int] {
                try await [
                    repository.count(), repository.page(HistoryQuery(label: "siamese")).total,
                    repository.page(HistoryQuery(label: "korat")).total,
                    repository.page(HistoryQuery(corrected: true)).total,
                ]
            }
            let saved = try await repository.save(count: 3)
            #expect(try await totals() == [3, 3, 0, 0])
            _ = try await repository.update(id: saved[0].id, ScanUpdate(correctedLabel: .set("korat")))
            #expect(try await totals() == [3, 2, 1, 1])
            let deletion = try await repository.delete(ids: [saved[0].id, saved[1].id])
            #expect(try await totals() == [1, 1, 0, 0])
            #expect(try await repository.undo(deletion.id) == 2)
            #expect(try await totals() == [3, 2, 1, 1])
            _ = try await repository.update(id: saved[0].id, ScanUpdate(correctedLabel: .clear))
            #expect(try await totals() == [3, 3, 0, 0])
            _ = try await repository.deleteAll()
            #expect(try await totals() == [0, 0, 0, 0])
        }
    }

    @Test(arguments: TestedStore.allCases) func updatesChangeOnlyWhatTheyName(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let scan = try await repository.save(.fixture(abstained: true))
            _ = try await repository.update(
                id: scan.id, ScanUpdate(note: .set("first"), correctedLabel: .set("korat")))
            let noted = try await repository.update(id: scan.id, ScanUpdate(note: .set("second")))
            #expect(noted.note == "second")
            #expect(noted.correctedLabel == "korat")
            #expect(noted.predictions == scan.predictions)
            let cleared = try await repository.update(id: scan.id, ScanUpdate(note: .clear, correctedLabel: .clear))
            #expect(cleared == scan)
            #expect(try await repository.page(HistoryQuery(text: "second")).total == 0)
            let long = String(repeating: "ä", count: ScanUpdate.maximumNoteLength)
            #expect(try await repository.update(id: scan.id, ScanUpdate(note: .set(long))).note == long)
            await #expect(throws: HistoryError.self) {
                try await repository.update(id: scan.id, ScanUpdate(note: .set(long + "x")))
            }
            await #expect(throws: HistoryError.self) {
                try await repository.update(id: scan.id, ScanUpdate(note: .set("a\u{0}b")))
            }
            #expect(try await repository.scan(id: scan.id).note == long)
        }
    }
}
