import Base
import Foundation
import GRDB
import Testing
import TestSupport

@testable import Storage

@Suite("Adversity: disks, locks, other versions", .serialized) struct AdversityTests {
    private static let canMount = SmallFileSystem.obstacle == nil
    private static let mountComment = Comment(rawValue: "skipped: \(SmallFileSystem.obstacle ?? "")")

    /// For SQLite, another connection acts like another process.
    private static func otherConnection(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    @Test func everyCommitIsFlushed() async throws {
        let directory = try TemporaryDirectory()
        let repository = try await SQLiteDatabase.repository(path: directory("h.sqlite"), options: RepositoryOptions())
        let settings = try await repository.database.write { connection in
            try ["journal_mode", "synchronous"].map { try connection.rows("PRAGMA \($0)", []) }
        }
        #expect(settings == [[[.text("wal")]], [[.integer(2)]]])
        try await repository.close()
    }

    @Test func whatWouldBeWrittenToARemovedFileIsRefused() async throws {
        let directory = try TemporaryDirectory()
        let (path, elsewhere) = (directory("h.sqlite"), directory("elsewhere.sqlite"))
        let repository = try await SQLiteDatabase.repository(path: path, options: RepositoryOptions())
        _ = try await repository.save(count: 1)
        try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
        for replacement in [nil, Data()] {
            if let replacement { try replacement.write(to: URL(filePath: path)) }
            let error = await #expect(throws: HistoryError.self) {
                try await repository.database.write { try $0.execute("DELETE FROM scans", []) }
            }
            #expect(error?.description.contains(path) == true, "\(error?.description ?? "")")
        }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: path)
        #expect(try await repository.database.write { try $0.execute("DELETE FROM scans", []) } == 1)
        try await repository.close()
    }

    /// A foreign backup may contain a huge fraction in place of a whole number.
    @Test(arguments: ["1e300", "-1e300", "9e999"]) func aNumberBeyondAllEndsNothing(_ number: String) async throws {
        let directory = try TemporaryDirectory()
        let repository = try await SQLiteDatabase.repository(path: directory("h.sqlite"), options: RepositoryOptions())
        _ = try await repository.save(count: 1)
        try await Self.otherConnection(directory("h.sqlite")).write {
            try $0.execute(
                sql: "UPDATE scans SET created_at = \(number), photo_bytes = \(number), abstained = \(number)")
        }
        for column in ["created_at", "photo_bytes", "abstained"] {
            let rows = try await repository.database.read { try $0.rows("SELECT \(column) FROM scans", []) }
            let isNegative = number.hasPrefix("-")
            #expect(rows == [[.integer(isNegative ? .min : .max)]])
        }
        _ = try? await repository.page(HistoryQuery())
        try await repository.close()
    }

    /// A snapshot, or a folder that a container has mounted for reading: backing up, restoring and checking only read.
    @Test(.enabled(if: canMount, mountComment), arguments: [true, false])
    func aReadOnlyFolderIsReadAsAnyOther(isClosed: Bool) async throws {
        let (fileSystem, directory) = (try TestFileSystem(megabytes: 64), try TemporaryDirectory())
        defer { fileSystem.disk.unmount() }
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory("data")))
        var scans: [Scan] = []
        for seed in UInt64(1)...3 {
            scans.append(try await store.save(.fixture(), photo: someBytes(4_000, seed: seed)))
        }
        if isClosed { try await store.close() }
        try await Self.copy(directory("data"), to: fileSystem.directory("data"))
        if !isClosed { try await store.close() }
        try fileSystem.disk.remount(readOnly: true)

        // A relative path has to be as good as any.
        let above = FileManager.default.currentDirectoryPath.split(separator: "/").map { _ in "../" }.joined()
        let folder = above + fileSystem.directory("data").dropFirst()
        let source = try await HistoryStore.open(HistoryConfiguration(directory: folder, mustExist: true))
        #expect(try await source.checkIntegrity() == IntegrityReport(scans: 3, photos: 3))
        #expect(try await source.backup(to: directory("copy")) == BackupSummary(scans: 3, files: 3))
        let standIn = source.configuration.directory
        #expect(FileSystem.isDirectory(standIn))
        try await source.close()
        #expect(!FileSystem.isDirectory(standIn))

        let other = try await HistoryStore.open(HistoryConfiguration(directory: directory("other")))
        #expect(try await other.restore(from: folder).restored == 3)
        for scan in scans { #expect(try await other.photo(of: scan.id)?.digest == scan.photo?.digest) }
        try await other.close()
        let fresh = HistoryConfiguration(directory: fileSystem.directory("none"), mustExist: true)
        await #expect(throws: HistoryError.self) { try await HistoryStore.open(fresh) }
    }

    /// In another process, because closing a file that this one has open would drop its locks.
    private static func copy(_ source: String, to target: String) async throws {
        let process = try Process.run(URL(filePath: "/bin/cp"), arguments: ["-a", source, target])
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test(.enabled(if: canMount, mountComment)) func aFullDiskIsSaidAndNothingAcknowledgedIsLost() async throws {
        let fileSystem = try TestFileSystem(megabytes: 4)
        defer { fileSystem.disk.unmount() }
        let configuration = HistoryConfiguration(directory: fileSystem.directory("data"))
        let store = try await HistoryStore.open(configuration)
        var saved: [Scan] = []
        var failure: HistoryError?
        for seed in 0..<2_000 where failure == nil {
            do throws(HistoryError) {
                saved.append(try await store.save(.fixture(), photo: someBytes(20_000, seed: UInt64(seed))))
            } catch {
                failure = error
            }
        }
        guard case .diskFull(let path) = failure else {
            Issue.record("expected diskFull, got \(String(describing: failure))")
            return
        }
        #expect(path.hasPrefix(fileSystem.directory.path))
        #expect(saved.count > 40)
        // Without photos the database itself fills the disk.
        failure = nil
        for _ in 0..<20_000 where failure == nil {
            do throws(HistoryError) { saved.append(try await store.save(.fixture())) } catch { failure = error }
        }
        guard case .diskFull = failure else {
            Issue.record("expected diskFull, got \(String(describing: failure))")
            return
        }
        #expect(try await store.scans.count() == saved.count)
        // Saving works again once there is space.
        try fileSystem.disk.enlarge(toMegabytes: 8)
        saved.append(try await store.save(.fixture()))
        try await store.close()
        let reopened = try await HistoryStore.open(configuration)
        for scan in saved { #expect(try await reopened.scans.scan(id: scan.id) == scan) }
        #expect(try await reopened.scans.checkIntegrity() == [])
        try await reopened.close()
    }

    @Test(.enabled(if: canMount, mountComment), arguments: [0, 2_000_000])
    func aBackupToAFullDiskNamesItsFolderAndLeavesNothing(photo bytes: Int) async throws {
        let (fileSystem, directory) = (try TestFileSystem(megabytes: 1), try TemporaryDirectory())
        defer { fileSystem.disk.unmount() }
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory("data")))
        _ = try await store.save(.fixture(), photo: someBytes(max(bytes, 1), seed: 1))
        if bytes == 0 { SmallFileSystem.fill(fileSystem.directory("full")) }
        let names = FileSystem.names(in: fileSystem.directory.path)
        let target = fileSystem.directory("backup")
        await #expect(throws: HistoryError.diskFull(path: target)) { try await store.backup(to: target) }
        #expect(FileSystem.names(in: fileSystem.directory.path) == names)
        try await store.close()
    }

    @Test(.enabled(if: canMount, mountComment)) func aReadOnlyFileSystemIsSaid() async throws {
        let fileSystem = try TestFileSystem(megabytes: 4)
        defer { fileSystem.disk.unmount() }
        let configuration = HistoryConfiguration(directory: fileSystem.directory("data"))
        let store = try await HistoryStore.open(configuration)
        let scan = try await store.save(.fixture(), photo: [1])
        try await store.close()
        try fileSystem.disk.remount(readOnly: true)
        for directory in ["data", "elsewhere"] {
            do {
                let opened = try await HistoryStore.open(
                    HistoryConfiguration(directory: fileSystem.directory(directory)))
                try await opened.close()
                Issue.record("a read-only directory was opened")
            } catch {
                guard case .readOnly = error else {
                    Issue.record("expected readOnly, got \(error)")
                    continue
                }
            }
        }
        try fileSystem.disk.remount(readOnly: false)
        let reopened = try await HistoryStore.open(configuration)
        #expect(try await reopened.scans.scan(id: scan.id) == scan)
        try await reopened.close()
    }

    @Test(.enabled(if: geteuid() != 0, "skipped: permissions do not bind root")) func aForbiddenDirectoryIsSaid()
        async throws
    {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o500)
        defer { chmod(directory.path, 0o700) }
        do {
            _ = try await HistoryStore.open(HistoryConfiguration(directory: directory("data")))
            Issue.record("a read-only directory was opened")
        } catch {
            #expect(error == .readOnly(path: directory("data")))
        }
        chmod(directory.path, 0)
        let hidden = HistoryConfiguration(directory: directory("data"), mustExist: true)
        let error = await #expect(throws: HistoryError.self) { try await HistoryStore.open(hidden) }
        #expect(error?.description.contains("may not look into") == true, "\(error?.description ?? "")")
    }

    @Test func aLockThatStaysIsSaidAndOneThatGoesIsWaitedFor() async throws {
        let directory = try TemporaryDirectory()
        let path = directory("h.sqlite")
        let repository = try await SQLiteDatabase.repository(path: path, options: RepositoryOptions(patience: 0.2))
        try await repository.save(.fixture())
        let other = try Self.otherConnection(path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        await #expect(throws: HistoryError.locked(path: path)) { try await repository.save(.fixture()) }
        #expect(try await repository.count() == 1)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await repository.save(.fixture())

        let patient = try await SQLiteDatabase.repository(path: path, options: RepositoryOptions(patience: 60))
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        async let waiting = patient.save(.fixture())
        // A second writer with less patience gives up meanwhile.
        await #expect(throws: HistoryError.locked(path: path)) { try await repository.save(.fixture()) }
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        _ = try await waiting
        #expect(try await repository.count() == 3)
        try await patient.close()
        try await repository.close()
    }

    /// Each service has its own journal, like two processes.
    @Test func twoServicesOnOneFolderLoseNothing() async throws {
        let directory = try TemporaryDirectory()
        let configuration = HistoryConfiguration(directory: directory("data"))
        let stores = [try await HistoryStore.open(configuration), try await HistoryStore.open(configuration)]
        let saved = try await withThrowingTaskGroup(of: Scan.self) { group in
            for seed in 0..<60 {
                // Both services save every photo.
                group.addTask {
                    try await stores[seed % 2].save(.fixture(), photo: someBytes(3_000, seed: UInt64(seed / 2)))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try await stores[1].scans.delete(ids: saved[..<20].map(\.id)).count == 20)
        _ = try await stores[0].maintain()
        try await stores[0].close()
        let late = try await stores[1].save(.fixture(), photo: [1])
        try await stores[1].close()
        let reopened = try await HistoryStore.open(configuration)
        for scan in saved[20...] + [late] {
            #expect(try await reopened.scans.scan(id: scan.id) == scan)
            #expect(try await reopened.photo(of: scan.id) != nil)
        }
        #expect(try await reopened.scans.count() == 41)
        #expect(try await reopened.checkIntegrity().problems == [])
        try await reopened.close()
    }

    /// The clock jumps forward by ten years and back by twenty. Only due scans are lost, and a deleted scan can be
    /// restored.
    @Test func aClockThatJumpsLosesNothing() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let options = RepositoryOptions(undoGrace: 600, now: { clock.now })
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory("data"), options: options))
        var saved = try await store.scans.save(count: 3)
        let year = 31_536_000.0
        let deletion = try await store.scans.delete(id: saved[0].id)
        clock.advance(by: -20 * year)
        saved.append(try await store.save(.fixture(id: ULID(date: clock.now))))
        #expect(try await store.maintain().expired == 0)
        let early = try await store.scans.delete(id: saved[1].id)
        #expect(try await store.scans.undo(early.id) == 1)
        #expect(try await store.scans.undo(deletion.id) == 1)
        clock.advance(by: 30 * year)
        saved.append(try await store.save(.fixture(id: ULID(date: clock.now))))
        #expect(try await store.maintain() == PurgeSummary())
        let page = try await store.scans.page(HistoryQuery())
        #expect(page.items.map(\.id) == saved.sorted { $0.createdAt > $1.createdAt }.map(\.id))
        try await store.close()
    }

    @Test func aDamagedDatabaseIsSaid() async throws {
        let directory = try TemporaryDirectory()
        let path = directory("h.sqlite")
        try Data(someBytes(8_192, seed: 3)).write(to: URL(fileURLWithPath: path))
        do {
            _ = try await SQLiteDatabase.repository(path: path, options: RepositoryOptions())
            Issue.record("noise was opened as a database")
        } catch {
            guard case .corruptDatabase(path, _) = error else {
                Issue.record("expected corruptDatabase, got \(error)")
                return
            }
        }
    }

    @Test func aDatabaseOfANewerVersionIsRefused() async throws {
        let directory = try TemporaryDirectory()
        let path = directory("h.sqlite")
        let repository = try await SQLiteDatabase.repository(path: path, options: RepositoryOptions())
        try await repository.close()
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 from the future')") }
        try other.close()
        await #expect(throws: HistoryError.newerSchema(path: path)) {
            try await SQLiteDatabase.repository(path: path, options: RepositoryOptions())
        }
    }

    @Test func tooManyWaitingSavesAreRefusedAtOnce() async throws {
        let directory = try TemporaryDirectory()
        let path = directory("h.sqlite")
        let options = RepositoryOptions(patience: 60, maximumPending: 4)
        let repository = try await SQLiteDatabase.repository(path: path, options: options)
        let other = try Self.otherConnection(path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let outcomes = await withTaskGroup(of: HistoryError?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do throws(HistoryError) {
                        try await repository.save(.fixture())
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            // The refusals are immediate. Admitted requests wait for the lock.
            var refusals = 0
            for await outcome in group {
                if case .overloaded = outcome { refusals += 1 }
                if refusals == 90 { try? await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") } }
            }
            return refusals
        }
        #expect(outcomes >= 90)
        #expect(try await repository.count() == 100 - outcomes)
        try await repository.close()
    }

    /// The test checks query plans, since timings prove nothing on a busy machine. No list may sort or scan the whole
    /// table.
    @Test(arguments: [
        HistoryQuery(), HistoryQuery(label: "x"), HistoryQuery(species: "x"), HistoryQuery(corrected: true),
        HistoryQuery(corrected: false), HistoryQuery(from: .now, to: .now), HistoryQuery(text: "x"),
        HistoryQuery(label: "x", species: "y", from: .now, corrected: true),
    ])
    func everyListIsAWalkAlongAnIndex(query: HistoryQuery) async throws {
        let directory = try TemporaryDirectory()
        let repository = try await SQLiteDatabase.repository(path: directory("h.sqlite"), options: RepositoryOptions())
        let scan = try await repository.save(.fixture())
        for position in [nil, scan.cursor] {
            let plan = try await repository.database.read { connection in
                let filter = try ScanFilter.scans(query, after: position, on: connection)
                return try connection.rows(
                    """
                    EXPLAIN QUERY PLAN SELECT \(ScanRecord.columns) FROM scans WHERE \(filter.clause) \
                    ORDER BY created_at DESC, id DESC LIMIT 21
                    """, filter.values)
            }.compactMap { $0.last?.text }.joined(separator: "; ")
            #expect(plan.contains("USING INDEX scans_"), "\(plan)")
            #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
        }
        try await repository.close()
    }
}
