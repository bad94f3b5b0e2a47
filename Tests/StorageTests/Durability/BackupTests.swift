import Base
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite("Backup, deletion, restore") struct BackupTests {
    private let directory: TemporaryDirectory
    private let clock = TestClock()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(_ name: String = "data", mustExist: Bool = false) async throws -> HistoryStore {
        let clock = clock
        return try await HistoryStore.open(
            HistoryConfiguration(
                directory: directory(name), options: RepositoryOptions(undoGrace: 600, now: { clock.now }),
                orphanAge: 0, mustExist: mustExist))
    }

    /// Saves scans with photos and a note, adds a favourite, and makes a backup.
    private func fill(_ store: HistoryStore, _ count: Int = 12) async throws -> [Scan] {
        for seed in 1...count {
            _ = try await store.save(
                .fixture(), photo: someBytes(4_000, seed: UInt64(seed)), idempotencyKey: "key \(seed)")
        }
        let first = try await store.scans.page(HistoryQuery()).items[0]
        _ = try await store.scans.update(id: first.id, ScanUpdate(note: .set("vet"), correctedLabel: .keep))
        try await store.scans.setFavourite("siamese", true)
        #expect(try await store.backup(to: directory("backup")).scans == count)
        return try await store.scans.page(HistoryQuery()).items
    }

    private func expectWhole(_ store: HistoryStore, _ scans: [Scan]) async throws {
        #expect(try await store.scans.page(HistoryQuery()).items == scans)
        for scan in scans {
            #expect(try await store.photo(of: scan.id)?.digest == scan.photo?.digest)
        }
        #expect(try await store.checkIntegrity().problems == [])
    }

    /// Restores, and expects this number of restored scans and these skipped ones.
    private func restore(_ store: HistoryStore, restored: Int, skipped: [Scan]) async throws {
        var named: [ULID] = []
        let summary = try await store.restore(from: directory("backup")) { id, reason in
            named.append(id)
            #expect(reason == "is there already")
        }
        #expect(summary.restored == restored && summary.skipped == skipped.count && summary.problems == [])
        #expect(named == skipped.map(\.id))
    }

    @Test func restoringBringsBackWhatWasDeletedAndUndoChangesNothing() async throws {
        let store = try await open()
        let scans = try await fill(store)
        let one = try await store.scans.delete(id: scans[3].id)
        try await restore(store, restored: 1, skipped: scans.filter { $0.id != scans[3].id })
        let all = try await store.scans.deleteAll()
        try await store.scans.setFavourite("siamese", false)
        try await restore(store, restored: 12, skipped: [])
        #expect(try await store.scans.favourites().map(\.articleID) == ["siamese"])
        try await expectWhole(store, scans)
        try await restore(store, restored: 0, skipped: scans)
        for deletion in [one, all] {
            await #expect(throws: HistoryError.undoExpired(deletion.id.description)) {
                try await store.scans.undo(deletion.id)
            }
        }
        // Collects everything unused, long after the deletions were due.
        clock.advance(by: 1_000)
        _ = try await store.maintain()
        try await expectWhole(store, scans)
        #expect(try await store.scans.scan(idempotencyKey: "key 5") == scans[7])
        try await store.close()
        let reopened = try await open()
        try await expectWhole(reopened, scans)
        try await reopened.close()
    }

    @Test func restoringBringsBackPhotosThatWereCollected() async throws {
        let store = try await open()
        let scans = try await fill(store)
        _ = try await store.scans.deleteAll()
        clock.advance(by: 601)
        let summary = try await store.maintain()
        #expect(summary.expired == 12 && summary.orphans == 12)
        try await restore(store, restored: 12, skipped: [])
        try await expectWhole(store, scans)
        try await store.close()
    }

    @Test func aDamagedBackupGivesBackAllThatIsWhole() async throws {
        let store = try await open()
        let scans = try await fill(store)
        let lost = try #require(scans[4].photo?.digest)
        FileSystem.remove(PhotoStore.path(of: lost, in: directory("backup/photos")))
        _ = try await store.scans.deleteAll()
        clock.advance(by: 601)
        _ = try await store.maintain()
        let summary = try await store.restore(from: directory("backup"))
        #expect(summary.restored == 12 && summary.problems.count == 1)
        #expect(summary.problems[0].contains(scans[4].id.description))
        #expect(try await store.scans.scan(id: scans[4].id).photo == nil)
        #expect(try await store.photo(of: scans[5].id) != nil)
        #expect(try await store.checkIntegrity().problems == [])
        try await store.close()
    }

    @Test func whatIsNoBackupIsSaidAndStaysAsItIs() async throws {
        let store = try await open()
        let files = FileManager.default
        try files.createDirectory(atPath: directory("empty"), withIntermediateDirectories: true)
        try files.createDirectory(atPath: directory("other"), withIntermediateDirectories: true)
        let foreign = try DatabaseQueue(path: directory("other/history.sqlite"))
        try await foreign.write { try $0.execute(sql: "CREATE TABLE scans (page INTEGER)") }
        try foreign.close()
        let before = try Data(contentsOf: URL(filePath: directory("other/history.sqlite")))
        for name in ["absent", "empty", "other"] {
            for open in [false, true] {
                do throws(HistoryError) {
                    if open {
                        _ = try await HistoryStore.open(
                            HistoryConfiguration(directory: directory(name), mustExist: true))
                    } else {
                        _ = try await store.restore(from: directory(name))
                    }
                    Issue.record("\(name) was taken for a history")
                } catch {
                    guard case .noHistory(directory(name), _) = error else {
                        Issue.record("expected noHistory, got \(error)")
                        continue
                    }
                }
            }
        }
        #expect(!files.fileExists(atPath: directory("absent")))
        #expect(try files.contentsOfDirectory(atPath: directory("empty")) == [])
        #expect(try files.contentsOfDirectory(atPath: directory("other")) == ["history.sqlite"])
        #expect(try Data(contentsOf: URL(filePath: directory("other/history.sqlite"))) == before)
        try await store.close()
    }

    @Test(arguments: ["new/", "new//", "new/.", "new/./"])
    func aDirectoryMayEndWithASlash(name: String) async throws {
        let store = try await open()
        _ = try await store.save(.fixture(), photo: [1, 2, 3])
        #expect(try await store.backup(to: directory(name)).scans == 1)
        #expect(Set(FileSystem.names(in: directory.path)) == ["data", "new"])
        #expect(Set(FileSystem.names(in: directory("new"))).isSuperset(of: ["history.sqlite", "photos"]))
        try await store.close()
    }

    @Test func aLinkIsNoNewDirectory() async throws {
        let store = try await open()
        try FileManager.default.createSymbolicLink(atPath: directory("link"), withDestinationPath: "nowhere")
        await #expect(throws: HistoryError.self) { try await store.backup(to: directory("link/")) }
        #expect(Set(FileSystem.names(in: directory.path)) == ["data", "link"])
        try await store.close()
    }

    @Test func aBackupThatFailsLeavesNothing() async throws {
        let store = try await open()
        _ = try await store.save(.fixture(), photo: [1, 2, 3])
        try await store.scans.close()
        await #expect(throws: HistoryError.closed) { try await store.backup(to: directory("backup")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["data"])
    }

    // MARK: Rights

    private func rights(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// The paths below a folder that others may read, write or list.
    private func open(below path: String) throws -> [String] {
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return try ([""] + files).filter { try rights("\(path)/\($0)") & 0o077 != 0 }
    }

    @Test func everyFileIsItsOwnersAlone() async throws {
        let store = try await open()
        _ = try await fill(store)
        #expect(try open(below: directory("data")) == [])
        #expect(try open(below: directory("backup")) == [])
        #expect(FileManager.default.fileExists(atPath: directory("data/history.sqlite-wal")))
        #expect(FileManager.default.fileExists(atPath: directory("data/history.sqlite-shm")))
        try await store.close()
        #expect(try open(below: directory("data")) == [])
    }

    @Test func anOldFolderBecomesItsOwnersAlone() async throws {
        let first = try await open()
        _ = try await fill(first)
        try await first.close()
        let path = directory("data")
        for case let name as String in try #require(FileManager.default.enumerator(atPath: path)) {
            let bits = FileSystem.isDirectory("\(path)/\(name)") ? 0o755 : 0o644
            try FileManager.default.setAttributes([.posixPermissions: bits], ofItemAtPath: "\(path)/\(name)")
        }
        let before = try open(below: path).count
        #expect(before > 280)
        let outcome = FileProtection.tighten(path)
        #expect(outcome.tightened == before && outcome.refused == [])
        #expect(FileProtection.tighten(path) == FileProtection.Outcome())
        // Opening also restricts the permissions, including those of SQLite's new log.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + "/history.sqlite")
        let second = try await open(mustExist: true)
        _ = try await second.save(.fixture(), photo: [9])
        #expect(try open(below: path) == [])
        try await second.close()
    }
}
