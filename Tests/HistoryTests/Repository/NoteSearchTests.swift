import Foundation
import GRDB
import TestSupport
import Testing

@testable import History

/// What is found in notes is what stands in them, whatever index helps.
@Suite struct NoteSearchTests {
    private static let notes = [
        "Limps on the left", "left ear: 100% black_spot", "C:\\cats\\misu", "says \"miau\" at night", "ÄITIN KISSA",
        "left", "ab", "a\nnew line", "🐈‍⬛ kulkuri", "it's ( ) * ^ - OR NOT left", "straße",
    ]

    @Test(arguments: TestedStore.allCases) func textIsFoundWhereItStands(_ store: TestedStore) async throws {
        try await store.withRepository { repository in
            let scans = try await repository.save(count: Self.notes.count)
            for (scan, note) in zip(scans, Self.notes) {
                _ = try await repository.update(id: scan.id, ScanUpdate(note: .set(note)))
            }
            let texts = [
                "left", "LEFT", "lef", "le", "l", "100%", "0% b", "k_s", "%", "_", "\\cats\\", "\"miau\"", "\"",
                "äitin k",
                "ab", "abc", "new line", "\nnew", "🐈‍⬛", " kulk", "( ) *", "^ - or", "or not", "straße", "e", "left*",
                "lXft", "l_ft", "l%t", "nothing like it", "   ",
            ]
            for text in texts {
                let wanted = zip(scans, Self.notes).filter { $1.lowercased().contains(text.lowercased()) }.map(\.0.id)
                let page = try await repository.page(HistoryQuery(text: text))
                #expect(page.items.map(\.id) == wanted.reversed(), "“\(text)”")
                #expect(page.total == wanted.count, "“\(text)”")
            }
        }
    }

    @Test(arguments: TestedStore.allCases) func changesAndDeletionsAreFollowed(_ store: TestedStore) async throws {
        let clock = TestClock()
        try await store.withRepository(clock: clock) { repository in
            let scans = try await repository.save(count: 3)
            func found(_ text: String) async throws -> [Int] {
                let items = try await repository.page(HistoryQuery(text: text)).items
                return items.compactMap { item in scans.firstIndex { $0.id == item.id } }.sorted()
            }
            func note(_ index: Int, _ text: String?) async throws {
                _ = try await repository.update(
                    id: scans[index].id, ScanUpdate(note: text.map { .set($0) } ?? .clear))
            }
            for index in scans.indices { try await note(index, "first words") }
            #expect(try await found("first") == [0, 1, 2])
            try await note(1, "second words")
            try await note(2, nil)
            #expect(try await found("first") == [0])
            #expect(try await found("words") == [0, 1])
            try await note(2, "third words")
            let deletion = try await repository.delete(ids: [scans[0].id, scans[2].id])
            #expect(try await found("words") == [1])
            #expect(try await repository.undo(deletion.id) == 2)
            #expect(try await found("words") == [0, 1, 2])
        }
    }

    /// A history that an earlier release kept is indexed as it is opened.
    @Test func earlierNotesAreFoundInSQLite() async throws {
        let directory = try TemporaryDirectory()
        let path = directory("history.sqlite")
        func repository() async throws -> SQLRepository {
            try await SQLiteDatabase.repository(path: path, options: RepositoryOptions())
        }
        let first = try await repository()
        let scan = try await first.save(.fixture())
        _ = try await first.update(id: scan.id, ScanUpdate(note: .set("limps a little")))
        try await first.close()
        let other = try DatabaseQueue(path: path)
        try await other.write { database in
            try database.execute(
                sql: """
                    DROP TRIGGER scans_noted_inserted; DROP TRIGGER scans_noted_removed; DROP TRIGGER scans_noted_changed;
                    DROP TABLE scan_notes; DELETE FROM grdb_migrations WHERE identifier = '8 words of notes'
                    """)
        }
        try other.close()
        let second = try await repository()
        #expect(try await second.page(HistoryQuery(text: "a litt")).items.map(\.id) == [scan.id])
        let plan = try await second.database.read { connection in
            let filter = try ScanFilter.scans(HistoryQuery(text: "lit"), after: nil, on: connection)
            return try connection.rows("EXPLAIN QUERY PLAN SELECT id FROM scans WHERE \(filter.clause)", filter.values)
        }.compactMap { $0.last?.text }.joined(separator: "; ")
        #expect(plan.contains("scan_notes VIRTUAL TABLE INDEX"), "\(plan)")
        try await second.close()
    }
}

extension NoteSearchTests {
    /// The planner is free not to use the index of so few rows; that there is one is what the migration promises.
    @Test(.enabled(if: PostgreSQLServer.isAvailable)) func theIndexIsThereWhereTheServerHasTrigrams() async throws {
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let repository = try await PostgreSQLDatabase.repository(
            connectionString: database, readers: 1, options: RepositoryOptions())
        let (extensions, indices) = try await repository.database.read { connection in
            (
                try connection.integer("SELECT COUNT(*) FROM pg_available_extensions WHERE name = 'pg_trgm'", []),
                try connection.integer("SELECT COUNT(*) FROM pg_indexes WHERE indexname = 'scans_by_note'", [])
            )
        }
        #expect(extensions == indices)
        try await repository.close()
    }
}
