import Base
import Foundation
import Testing

@testable import Storage

/// Rows damaged by another replica, a later release or a bad disk. A damaged row affects no other.
@Suite struct DamagedRowTests {
    /// Changes a scan's row in a way that the program never does.
    private func damage(_ id: ULID, _ repository: HistoryRepository, _ document: String?) async throws {
        try await repository.database.write { connection in
            _ = try connection.execute(
                "UPDATE scans SET document = ? WHERE id = ?", [.text(document ?? ""), .text(id.description)])
        }
    }

    private func document(_ id: ULID, _ repository: HistoryRepository) async throws -> String {
        try await repository.database.read { connection in
            try connection.rows("SELECT document FROM scans WHERE id = ?", [.text(id.description)]).first?[0].text ?? ""
        }
    }

    @Test(arguments: TestedStore.allCases)
    func theOthersAreShownAndItIsNamed(store: TestedStore) async throws {
        try await store.withRepository { repository in
            var scans: [Scan] = []
            for _ in 0..<6 { scans.append(try await repository.save(.fixture())) }
            let ids = scans.map(\.id)
            let sound = try await document(ids[1], repository)
            let broken = [
                sound.replacing(#""confidence":0.912"#, with: #""confidence":1e30"#),
                sound.replacing(#""width":4032"#, with: #""width":-1"#),
                sound.replacing(#""created_at":"20"#, with: #""created_at":"99"#), "{",
            ]
            for (id, text) in zip(ids[1...4], broken) {
                try #require(text != sound)
                try await damage(id, repository, text)
            }
            // The small pages put a damaged scan at the end of one.
            var (query, seen, damaged): (HistoryQuery, [ULID], [String]) = (HistoryQuery(limit: 2), [], [])
            repeat {
                let page = try await repository.page(query)
                seen += page.items.map(\.id)
                damaged += page.damaged
                query.cursor = page.nextCursor
            } while query.cursor != nil
            #expect(Set(seen) == [ids[0], ids[5]])
            #expect(damaged.count == 4)
            for id in ids[1...4] {
                #expect(damaged.contains { $0.contains("\(id)") })
                let error = await #expect(throws: HistoryError.self) { try await repository.scan(id: id) }
                guard case .damagedScan(id.description, _) = error else {
                    Issue.record("expected damagedScan, got \(String(describing: error))")
                    continue
                }
            }
            // The damaged row can be deleted and replaced.
            #expect(try await repository.delete(id: ids[1]).count == 1)
            #expect(try await repository.insert([scans[2]]) == 1)
            #expect(try await repository.scan(id: ids[2]) == scans[2])
        }
    }

    @Test func aBackupWithOneIsRestoredWithoutIt() async throws {
        let (source, target) = (try TemporaryDirectory(), try TemporaryDirectory())
        let backup = try await HistoryStore.open(HistoryConfiguration(directory: source.path))
        let (first, second) = (try await backup.save(.fixture()), try await backup.save(.fixture(), photo: [1, 2]))
        let sound = try await document(first.id, backup.scans)
        try await damage(first.id, backup.scans, sound.replacing(#""width":4032"#, with: #""width":-1"#))
        #expect(try await backup.checkIntegrity().problems.contains { $0.contains("\(first.id)") })
        try await backup.close()
        let store = try await HistoryStore.open(HistoryConfiguration(directory: target.path))
        let summary = try await store.restore(from: source.path)
        #expect(summary.restored == 1)
        #expect(summary.problems.contains { $0.contains("\(first.id)") && $0.contains("image") })
        #expect(try await store.scans.scan(id: second.id) == second)
        try await store.close()
    }
}
