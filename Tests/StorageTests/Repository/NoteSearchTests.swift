import Base
import Foundation
import GRDB
import Testing
import TestSupport

@testable import Storage

/// A search finds exactly the notes that contain the text, whatever index is used.
@Suite struct NoteSearchTests {
    private static let notes = [
        "Limps on the left", "left ear: 100% black_spot", "C:\\cats\\misu", "says \"miau\" at night", "ÄITIN KISSA",
        "left", "ab", "a\nnew line", "🐈‍⬛ kulkuri", "it's ( ) * ^ - OR NOT left", "straße",
        "says \"\u{301}hello\\\u{301} 5%\u{301} a_\u{301}",
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
                "says \"\u{301}h", "lo\\\u{301} 5", "o%\u{301}", "5%\u{301} a", "a_\u{301}", "x_\u{301}",
            ]
            for text in texts {
                let wanted = zip(scans, Self.notes).filter {
                    $1.lowercased().utf8.contains(text.lowercased().utf8)
                }.map(\.0.id)
                let page = try await repository.page(HistoryQuery(text: text))
                #expect(page.items.map(\.id) == wanted.reversed(), "“\(text)”")
                #expect(page.total == wanted.count, "“\(text)”")
            }
        }
    }

    @Test(arguments: TestedStore.allCases) func accentsAreFoundHoweverTheyAreWritten(_ store: TestedStore) async throws
    {
        try await store.withRepository { repository in
            let scans = try await repository.save(count: 2)
            for (scan, note) in zip(scans, ["\u{C4}itin kissa", "A\u{308}itin kissa"]) {
                _ = try await repository.update(id: scan.id, ScanUpdate(note: .set(note)))
            }
            for text in ["\u{E4}iti", "a\u{308}iti", "\u{C4}ITI"] {
                #expect(try await repository.page(HistoryQuery(text: text)).total == 2, "“\(text)”")
            }
        }
    }

    @Test(arguments: TestedStore.allCases) func lettersWithoutAnUpperCaseAreFound(_ store: TestedStore) async throws {
        try await store.withRepository { repository in
            let scans = try await repository.save(count: 3)
            for (scan, note) in zip(scans, ["Große Straße", "GROSSE STRASSE", "Γάτα στην Οδός"]) {
                _ = try await repository.update(id: scan.id, ScanUpdate(note: .set(note)))
            }
            for text in ["strasse", "STRASSE", "Straße", "STRAẞE", "sse stra"] {
                #expect(try await repository.page(HistoryQuery(text: text)).total == 2, "“\(text)”")
            }
            #expect(try await repository.page(HistoryQuery(text: "οδόσ")).items.map(\.id) == [scans[2].id])
        }
    }

    /// Earlier releases folded fewer letters.
    @Test func earlierNotesAreFoldedInSQLite() async throws {
        let directory = try TemporaryDirectory()
        let path = directory("history.sqlite")
        func found(_ text: String) async throws -> Int {
            let repository = try await SQLiteDatabase.repository(path: path, options: RepositoryOptions())
            if text.isEmpty {
                let scan = try await repository.save(.fixture())
                _ = try await repository.update(id: scan.id, ScanUpdate(note: .set("x")))
            }
            let total = try await repository.page(HistoryQuery(text: text)).total
            try await repository.close()
            return total
        }
        #expect(try await found("") == 1)
        let other = try DatabaseQueue(path: path)
        try await other.write { database in
            try database.execute(
                sql: """
                    UPDATE scans SET note = 'Straße', note_folded = 'straße';
                    DELETE FROM grdb_migrations WHERE identifier GLOB '11 *'
                    """)
        }
        try other.close()
        for text in ["strasse", "straße", "sse"] { #expect(try await found(text) == 1, "“\(text)”") }
    }

    @Test(arguments: TestedStore.allCases) func changesAndDeletionsAreFollowed(_ store: TestedStore) async throws {
        let clock = TestClock()
        try await store.withRepository(clock: clock) { repository in
            let scans = try await repository.save(count: 3)
            func found(_ text: String) async throws -> [Int] {
                let page = try await repository.page(HistoryQuery(text: text))
                #expect(page.total == page.items.count)
                return page.items.compactMap { item in scans.firstIndex { $0.id == item.id } }.sorted()
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

    /// After random changes every store finds the same as plain values in memory, page by page.
    @Test(arguments: TestedStore.allCases, [1, 2])
    func whateverHappensIsFollowed(_ store: TestedStore, seed: UInt64) async throws {
        let clock = TestClock()
        var memory = PlainNotes()
        try await store.withRepository(clock: clock) { repository in
            let words = ["limps", "unicorn", "limp", "li", "a unicorn limps", "qu"]
            var (ids, hasDeleted, digits) = ([ULID](), false, someBytes(240, seed: seed).map(Int.init).makeIterator())
            func next(_ count: Int) -> Int { (digits.next() ?? 0) % count }
            for step in 0..<80 {
                let (kind, choice) = (next(8), next(50))
                if kind < 3 || ids.isEmpty {
                    let id = ULID(date: Date(milliseconds: 1_700_000_000_000 + Int64(choice)))
                    var scan = Scan.fixture(id: id, label: choice % 2 == 0 ? "siamese" : "korat")
                    scan.note = choice % 4 == 0 ? nil : words[choice % words.count]
                    ids.append(id)
                    #expect(try await repository.insert([scan]) == 1)
                    memory.insert(scan)
                } else if kind < 5 {
                    let note: ScanUpdate.Change = choice % 5 == 0 ? .clear : .set(words[choice % words.count])
                    _ = try? await repository.update(id: ids[choice % ids.count], ScanUpdate(note: note))
                    memory.update(ids[choice % ids.count], note)
                } else if kind == 5 {
                    let some = [ids[choice % ids.count], ids[step % ids.count]]
                    let deletion = try await repository.delete(ids: some).id
                    memory.delete(some, deletion)
                    hasDeleted = true
                    if choice % 2 == 0, (try? await repository.undo(deletion)) != nil { memory.undo(deletion) }
                } else if kind == 6 {
                    // An import restores deleted scans.
                    var scan = Scan.fixture(id: ids[choice % ids.count])
                    scan.note = "came back with a unicorn"
                    _ = try await repository.insert([scan])
                    memory.insert(scan)
                } else {
                    clock.advance(by: 400)
                    _ = try await repository.purgeDeleted()
                    memory.purge(before: ULID(lowestAt: clock.now.addingTimeInterval(-600)))
                }
                guard step % 8 == 7 else { continue }
                for text in words + ["u", "nothing like it"] {
                    let times: [(Date?, Date?)] = [(nil, nil), (Date(milliseconds: 1_700_000_000_020), nil)]
                    for (from, to) in times + [(nil, Date(milliseconds: 1_700_000_000_030))] {
                        for label in [nil, "korat"] {
                            var query = HistoryQuery(limit: 3, label: label, from: from, to: to, text: text)
                            repeat {
                                let (wanted, page) = (memory.page(query), try await repository.page(query))
                                #expect(
                                    page.items.map(\.id) == wanted.items.map(\.id) && page.total == wanted.total,
                                    "step \(step): “\(text)”")
                                #expect(page.nextCursor == wanted.nextCursor)
                                query.cursor = wanted.nextCursor
                            } while query.cursor != nil
                        }
                    }
                }
            }
            #expect(hasDeleted && ids.count > 10)
        }
    }

    /// The history of an earlier release is indexed on opening.
    @Test func earlierNotesAreFoundInSQLite() async throws {
        let directory = try TemporaryDirectory()
        let path = directory("history.sqlite")
        func repository() async throws -> HistoryRepository {
            try await SQLiteDatabase.repository(path: path, options: RepositoryOptions())
        }
        let first = try await repository()
        let scan = try await first.save(.fixture())
        _ = try await first.update(id: scan.id, ScanUpdate(note: .set("limps a little")))
        let gone = try await first.save(.fixture())
        _ = try await first.update(id: gone.id, ScanUpdate(note: .set("limps no more")))
        _ = try await first.delete(id: gone.id)
        try await first.close()
        let other = try DatabaseQueue(path: path)
        try await other.write { database in
            try database.execute(
                sql: """
                    DROP TRIGGER scans_noted_inserted; DROP TRIGGER scans_noted_removed; DROP TRIGGER scans_noted_changed;
                    DROP TABLE scan_notes; DELETE FROM grdb_migrations WHERE identifier GLOB '[89] *'
                    """)
        }
        try other.close()
        let second = try await repository()
        #expect(try await second.page(HistoryQuery(text: "a litt")).items.map(\.id) == [scan.id])
        #expect(try await second.page(HistoryQuery(text: "limps")).total == 1)
        let plan = try await second.database.read { connection in
            let filter = try ScanFilter.scans(HistoryQuery(text: "lit"), after: nil, on: connection)
            return try connection.rows(
                "EXPLAIN QUERY PLAN SELECT id FROM \(filter.table) WHERE \(filter.clause)", filter.values)
        }.compactMap { $0.last?.text }.joined(separator: "; ")
        #expect(plan.contains("scan_notes VIRTUAL TABLE INDEX"), "\(plan)")
        // A text shorter than three characters, or one that very many notes contain, is searched in the index of notes
        // alone.
        let walk = try await second.database.read { connection in
            let filter = try ScanFilter.scans(HistoryQuery(text: "li"), after: nil, on: connection)
            return try connection.rows(
                "EXPLAIN QUERY PLAN SELECT id FROM \(filter.table) WHERE \(filter.clause) ORDER BY created_at DESC, id DESC",
                filter.values)
        }.compactMap { $0.last?.text }
        #expect(walk.count == 1 && walk[0].hasSuffix(" INDEX scans_noted"), "\(walk)")
        try await second.close()
    }
}

/// Scans with notes as plain values.
private struct PlainNotes {
    private var entries: [ULID: (scan: Scan, deletion: ULID?)] = [:]

    mutating func insert(_ scan: Scan) {
        let earlier = entries[scan.id]
        let taken = earlier.map { scan.taken(over: $0.scan, wasDeleted: $0.deletion != nil) } ?? scan
        if let taken { entries[scan.id] = (taken, nil) }
    }

    mutating func update(_ id: ULID, _ note: ScanUpdate.Change) {
        guard let entry = entries[id], entry.deletion == nil else { return }
        entries[id]?.scan.note = note.applied(to: entry.scan.note)
    }

    mutating func delete(_ ids: [ULID], _ deletion: ULID) {
        for id in ids where entries[id]?.deletion == nil { entries[id]?.deletion = deletion }
    }

    mutating func undo(_ deletion: ULID) {
        for (id, entry) in entries where entry.deletion == deletion { entries[id]?.deletion = nil }
    }

    mutating func purge(before bound: ULID) {
        entries = entries.filter { $0.value.deletion.map { $0 >= bound } ?? true }
    }

    func page(_ query: HistoryQuery) -> (items: [Scan], total: Int, nextCursor: Base.Cursor?) {
        let matching = entries.values.filter { $0.deletion == nil && query.matches($0.scan) }.map(\.scan)
            .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        let rest = matching.filter { scan in
            query.cursor.map { (scan.createdAt.milliseconds, scan.id.description) < ($0.number, $0.id) } ?? true
        }
        let items = Array(rest.prefix(query.limit))
        return (items, matching.count, rest.count > items.count ? items.last.map(\.cursor) : nil)
    }
}

extension HistoryQuery {
    /// Whether the text, the label and the times let the scan through.
    fileprivate func matches(_ scan: Scan) -> Bool {
        let time = scan.createdAt.milliseconds
        return (label.map { $0 == scan.effectiveLabel } ?? true) && (from.map { time >= $0.milliseconds } ?? true)
            && (to.map { time < $0.milliseconds } ?? true)
            && (text.map { scan.note?.lowercased().contains($0.lowercased()) == true } ?? true)
    }
}
