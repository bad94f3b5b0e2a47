import Base
import Foundation
import Logging
import Testing
import TestSupport

@testable import Storage

/// The table of notes is added to a history of an earlier release during service.
@Suite("PostgreSQL: the table of notes", .slow, .enabled(if: PostgreSQLServer.isAvailable)) struct NoteTableTests {
    private let database: String

    init() throws {
        database = try PostgreSQLServer.shared.get().newDatabase()
    }

    private func open() async throws -> HistoryRepository {
        try await PostgreSQLDatabase.repository(
            connectionString: database, readers: 2, options: RepositoryOptions(patience: 5))
    }

    /// A history of the earlier release: with more notes than are copied at a time, and without the table.
    private func makeEarlierHistory() async throws -> [ULID] {
        let repository = try await open()
        let scans = (0..<2_300).map { number in
            var scan = Scan.fixture(id: ULID(date: Date(milliseconds: 1_700_000_000_000 + Int64(number))))
            scan.note = number % 100 == 7 ? nil : "limps \(number) days"
            return scan
        }
        #expect(try await repository.insert(scans) == 2_300)
        _ = try await repository.delete(ids: [scans[0].id])
        try await repository.close()
        try PostgreSQLConnection(database).command(
            """
            DROP TRIGGER scans_noted_inserted ON scans;
            DROP TRIGGER scans_noted_removed ON scans;
            DROP TRIGGER scans_noted_changed ON scans;
            DROP FUNCTION scan_notes_keep;
            DROP TABLE scan_notes;
            DELETE FROM menagerie_migrations WHERE version >= 10;
            CREATE INDEX scans_by_note ON scans (id) WHERE note_folded IS NOT NULL;
            """)
        return scans.map(\.id)
    }

    private func found(_ text: String, _ repository: HistoryRepository) async throws -> Int {
        try await repository.page(HistoryQuery(limit: 1, text: text)).total
    }

    /// The table has exactly the notes of the scans that are not deleted.
    private func expectWhole(_ connection: PostgreSQLConnection) throws {
        let notes = "SELECT id, created_at, note_folded FROM scans WHERE deletion IS NULL AND note_folded IS NOT NULL"
        let table = "SELECT id, created_at, note_folded FROM scan_notes"
        for (some, others) in [(notes, table), (table, notes)] {
            #expect(try connection.integer("SELECT COUNT(*) FROM (\(some) EXCEPT \(others)) AS missing", []) == 0)
        }
    }

    @Test(.timeLimit(.minutes(3))) func itIsMadeWhileScansAreSavedAndFound() async throws {
        let ids = try await makeEarlierHistory()
        let repository = try await open()
        let (observer, reader) = (try PostgreSQLConnection(database), try PostgreSQLConnection(database))
        #expect(try !NoteTable.isReady(observer))
        #expect(try await found("limps", repository) == 2_276)

        // A concurrent index build waits for this transaction, which still sees the earlier state.
        try reader.command("BEGIN ISOLATION LEVEL REPEATABLE READ")
        _ = try reader.integer("SELECT COUNT(*) FROM scans", [])
        let replicas = (0..<3).map { _ in
            NoteTableCompletion(connectionString: database, logger: Logger(label: "test"))
        }
        defer { replicas.forEach { $0.close() } }
        let making = """
            FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%'
            """
        try await eventually { try observer.integer("SELECT COUNT(*) \(making)", []) == 1 }
        for number in 0..<20 {
            _ = try await repository.save(.fixture())
            _ = try await repository.update(id: ids[100 + number], ScanUpdate(note: .set("limps again")))
            _ = try await repository.update(id: ids[200 + number], ScanUpdate(note: .clear))
        }
        let deletion = try await repository.delete(ids: Array(ids[300..<310]))
        #expect(try await found("limps", repository) == 2_276 + 1 - 19 - 9)
        #expect(try await found("again", repository) == 20)
        #expect(try await repository.undo(deletion.id) == 10)
        #expect(try !NoteTable.isReady(observer))

        // The replica that builds the index dies and leaves an invalid one. Another replica starts again.
        let first = try observer.integer("SELECT pid \(making)", [])
        _ = try observer.rows("SELECT pg_terminate_backend(CAST(? AS INTEGER))", [.integer(Int64(first))])
        try await eventually { try observer.integer("SELECT COUNT(*) \(making) AND pid <> \(first)", []) == 1 }
        #expect(try !NoteTable.isReady(observer))
        try reader.command("COMMIT")
        try await eventually { try NoteTable.isReady(observer) }
        try expectWhole(observer)
        let invalid = "SELECT COUNT(*) FROM pg_index WHERE NOT indisvalid"
        try await eventually {
            try observer.integer("SELECT COUNT(*) FROM pg_indexes WHERE indexname = 'scans_by_note'", []) == 0
        }
        #expect(try observer.integer(invalid, []) == 0)
        #expect(try await found("limps", repository) == 2_276 + 1 - 19)
        #expect(try await found("again", repository) == 20)
        try await repository.close()
    }

    @Test func aNewHistoryHasItFromTheStart() async throws {
        let repository = try await open()
        let connection = try PostgreSQLConnection(database)
        #expect(try NoteTable.isReady(connection))
        let (extensions, indices) = (
            try connection.integer("SELECT COUNT(*) FROM pg_available_extensions WHERE name = 'pg_trgm'", []),
            try connection.integer("SELECT COUNT(*) FROM pg_indexes WHERE indexname = 'scan_notes_words'", [])
        )
        #expect(extensions == indices)
        try await repository.close()
    }

    /// Counting a common word and finding its newest scans does not read the rows of other scans.
    @Test func searchesReadTheTable() async throws {
        let repository = try await open()
        try await repository.database.read { connection in
            let filter = try #require(
                try ScanFilter.notes(HistoryQuery(text: "limps"), after: nil, needsTimes: true, on: connection))
            let newest = filter.newest(21)
            let plan = try connection.rows(
                "EXPLAIN SELECT document FROM scans WHERE \(newest.clause)", newest.values
            ).compactMap { $0.first?.text }.joined(separator: "\n")
            #expect(plan.contains("on scan_notes") && !plan.contains("note_folded IS NOT NULL"), "\(plan)")
            let other = HistoryQuery(label: "siamese", text: "limps")
            #expect(try ScanFilter.notes(other, after: nil, needsTimes: false, on: connection) == nil)
        }
        try await repository.close()
    }
}
