import Base
import Foundation
import Testing
import TestSupport

@testable import Storage

@Suite("PostgreSQL: replicas, restarts, refusals", .slow) struct PostgreSQLTests {
    private static var isAvailable: Bool { PostgreSQLServer.isAvailable }
    private static var comment: Comment {
        switch PostgreSQLServer.shared {
        case .success: "available"
        case .failure(let obstacle): Comment(rawValue: "skipped: \(obstacle.reason)")
        }
    }

    private func open(_ database: String, patience: TimeInterval = 30) async throws -> HistoryRepository {
        try await PostgreSQLDatabase.repository(
            connectionString: database, readers: 2, options: RepositoryOptions(patience: patience))
    }

    @Test(.enabled(if: isAvailable, comment)) func replicasThatStartTogetherMigrateOnce() async throws {
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let replicas = try await withThrowingTaskGroup(of: HistoryRepository.self) { group in
            for _ in 0..<6 { group.addTask { try await open(database) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(replicas.count == 6)
        let versions = try await replicas[0].database.read {
            try $0.integer("SELECT COUNT(*) FROM menagerie_migrations", [])
        }
        #expect(versions == 11)
        for replica in replicas { try await replica.close() }
    }

    /// The machine of such a server acknowledges every packet, so no timeout of TCP notices it.
    @Test(.enabled(if: isAvailable, comment)) func aServerThatHasStoppedWithoutEndingIsGivenUp() async throws {
        let database = try PostgreSQLServer.shared.get().newDatabase()
        try await onThread {
            let connection = try PostgreSQLConnection(database)
            let process = pid_t(try connection.integer("SELECT pg_backend_pid()", []))
            connection.answerTimeout = 0.2
            #expect(try connection.integer("SELECT 7", []) == 7)
            #expect(kill(process, SIGSTOP) == 0)
            defer { kill(process, SIGCONT) }
            for statement in ["SELECT 8", "ROLLBACK"] {
                let error = #expect(throws: PostgreSQLError.self) { try connection.command(statement) }
                #expect(error?.isConnectionLost == true)
            }
        }
    }

    @Test(.enabled(if: isAvailable, comment)) func aFrozenServerIsGivenUpLongBeforeASlowStatement() async throws {
        let server = try PostgreSQLServer()
        let database = try server.newDatabase()
        try await onThread {
            let connection = try PostgreSQLConnection(database)
            connection.answerTimeout = nil
            connection.silence = 0.1
            try connection.command("SELECT pg_sleep(1)")
            let postmaster = try server.processIdentifier()
            let backend = pid_t(try connection.integer("SELECT pg_backend_pid()", []))
            for process in [postmaster, backend] { #expect(kill(process, SIGSTOP) == 0) }
            defer { for process in [postmaster, backend] { kill(process, SIGCONT) } }
            let error = #expect(throws: PostgreSQLError.self) { try connection.command("SELECT 8") }
            #expect(error?.isConnectionLost == true)
        }
    }

    @Test(.enabled(if: isAvailable, comment)) func readsThatWaitForALostServerFailTogether() async throws {
        let server = try PostgreSQLServer()
        let repository = try await open(try server.newDatabase(), patience: 2)
        try server.control("-m immediate stop")
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    await #expect(throws: HistoryError.self) { try await repository.page(HistoryQuery()) }
                }
            }
        }
        // Two readers would take 40 s one after the other.
        #expect(ContinuousClock.now - start < .seconds(20))
        try server.control("start")
        #expect(try await repository.page(HistoryQuery()).items.isEmpty)
        try await repository.close()
    }

    @Test(.enabled(if: isAvailable, comment)) func aNewerSchemaIsRefused() async throws {
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let repository = try await open(database)
        try await repository.database.write {
            _ = try $0.execute("INSERT INTO menagerie_migrations VALUES (99)", [])
        }
        await #expect(throws: HistoryError.newerSchema(path: "the PostgreSQL server")) { try await open(database) }
        try await repository.close()
    }

    @Test(.enabled(if: isAvailable, comment)) func replicasShareKeysTotalsAndCorrections() async throws {
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let first = try await open(database)
        let second = try await open(database)
        let photo = ContentDigest(of: [5])
        let ids = try await withThrowingTaskGroup(of: ULID.self) { group in
            for index in 0..<40 {
                let replica = index % 2 == 0 ? first : second
                group.addTask {
                    try await replica.save(.fixture(sha256: photo), photo: nil, idempotencyKey: "k\(index / 4)").id
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 10)
        // There are enough changes for both sides to combine the totals several times.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<1_500 {
                let replica = index % 2 == 0 ? first : second
                group.addTask { try await replica.save(.fixture(label: "label-\(index % 7)")) }
            }
            try await group.waitForAll()
        }
        #expect(try await first.count() == 1_510)
        #expect(try await second.page(HistoryQuery(label: "label-3")).total == 214)
        let id = try #require(ids.first)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await first.update(id: id, ScanUpdate(note: .set("n"))) }
            group.addTask { _ = try await second.update(id: id, ScanUpdate(correctedLabel: .set("korat"))) }
            try await group.waitForAll()
        }
        let scan = try await first.scan(id: id)
        #expect(scan.note == "n")
        #expect(scan.correctedLabel == "korat")
        #expect(try await second.checkIntegrity() == [])
        try await first.close()
        try await second.close()
    }

    @Test(.enabled(if: isAvailable, comment)) func aServerThatDiesInMidTrafficLosesNothingAcknowledged() async throws {
        let server = try PostgreSQLServer()
        let repository = try await open(try server.newDatabase(), patience: 300)
        let saved = try await withThrowingTaskGroup(of: [Scan].self) { group in
            for _ in 0..<6 {
                group.addTask {
                    var scans: [Scan] = []
                    for _ in 0..<150 {
                        scans.append(try await repository.save(.fixture()))
                        _ = try await repository.page(HistoryQuery(limit: 1))
                    }
                    return scans
                }
            }
            for _ in 0..<2 {
                try await Task.sleep(for: .milliseconds(150))
                try server.control("-m immediate stop")
                try server.control("start")
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(saved.count == 900)
        for scan in saved { #expect(try await repository.scan(id: scan.id) == scan) }
        #expect(try await repository.count() == 900)
        #expect(try await repository.checkIntegrity() == [])
        try server.control("-m fast stop")
        try await repository.close()
    }

    @Test(.enabled(if: isAvailable, comment)) func aServerThatStaysAwayIsSaid() async throws {
        let server = try PostgreSQLServer()
        let database = try server.newDatabase()
        let repository = try await open(database, patience: 0.3)
        let scan = try await repository.save(.fixture())
        try server.control("-m immediate stop")
        for attempt in 0..<2 {
            do throws(HistoryError) {
                if attempt == 0 { try await repository.save(.fixture()) } else { _ = try await repository.count() }
                Issue.record("a server that is down answered")
            } catch {
                guard case .unavailable(let detail) = error else {
                    Issue.record("expected unavailable, got \(error)")
                    continue
                }
                #expect(detail.contains("PostgreSQL"))
            }
        }
        try server.control("start")
        try await repository.save(.fixture())
        #expect(try await repository.scan(id: scan.id) == scan)
        try server.control("-m fast stop")
        try await repository.close()
    }

    @Test(.enabled(if: isAvailable, comment)) func aStatementThatTookTooLongIsSaid() async throws {
        let repository = try await open(try PostgreSQLServer.shared.get().newDatabase())
        let error = await #expect(throws: HistoryError.self) {
            try await repository.database.read {
                _ = try $0.rows("SELECT set_config('statement_timeout', '50ms', true)", [])
                _ = try $0.rows("SELECT COUNT(*) FROM pg_sleep(60)", [])
            }
        }
        #expect(error?.description.contains("statement timeout") == true, "\(String(describing: error))")
        try await repository.close()
    }

    @Test func anUnreachableServerIsSaidWithoutThePassword() async throws {
        do throws(HistoryError) {
            _ = try await PostgreSQLDatabase.repository(
                connectionString: "postgresql://vet:s3cret@127.0.0.1:1/menagerie",
                options: RepositoryOptions(patience: 0.1))
            Issue.record("nobody listens there")
        } catch {
            guard case .unavailable(let detail) = error else {
                Issue.record("expected unavailable, got \(error)")
                return
            }
            #expect(!detail.contains("s3cret"))
        }
    }

    @Test(.enabled(if: isAvailable, comment)) func aBackupOfAServerIsASQLiteHistory() async throws {
        let directory = try TemporaryDirectory()
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let store = try await HistoryStore.open(
            HistoryConfiguration(backend: .postgreSQL(connectionString: database), directory: directory("data")))
        for seed in 1...5 { _ = try await store.save(.fixture(), photo: [UInt8(seed)]) }
        let summary = try await store.backup(to: directory("backup"))
        #expect(summary == BackupSummary(scans: 5, files: 5))
        _ = try await store.scans.deleteAll()
        try await store.close()

        let other = try await HistoryStore.open(
            HistoryConfiguration(
                backend: .postgreSQL(connectionString: try PostgreSQLServer.shared.get().newDatabase()),
                directory: directory("other")))
        #expect(try await other.restore(from: directory("backup")).restored == 5)
        #expect(try await other.checkIntegrity().problems == [])
        try await other.close()
    }

    /// After a failover the connection may lead to a server that is a standby now.
    @Test(.enabled(if: isAvailable, comment)) func whoCanOnlyReadConnectsAnew() async throws {
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let repository = try await open(database)
        func decide(_ setting: String) async throws {
            try await onThread {
                let connection = try PostgreSQLConnection(database)
                try connection.command("SET default_transaction_read_only = off")
                let name = try connection.rows("SELECT current_database()", [])[0][0].text ?? ""
                // It holds for connections that begin later.
                try connection.command("ALTER DATABASE \(name) \(setting)")
            }
        }
        try await decide("SET default_transaction_read_only = on")
        try await onThread {
            _ = try PostgreSQLConnection(database).rows(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """, [])
        }
        await #expect(throws: HistoryError.readOnly(path: "the PostgreSQL database")) {
            try await repository.save(.fixture())
        }
        try await decide("RESET default_transaction_read_only")
        try await repository.save(.fixture())
        try await repository.close()
    }

    /// The upgrade of a large history takes longer than any other statement may.
    @Test(.enabled(if: isAvailable, comment)) func aMigrationMayTakeItsTime() async throws {
        let database = try PostgreSQLServer.shared.get().newDatabase()
        try await onThread {
            try PostgreSQLConnection(database).command(
                """
                CREATE FUNCTION refuse_limits() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF current_setting('statement_timeout') <> '0' THEN RAISE EXCEPTION 'too slow'; END IF;
                END $$;
                CREATE EVENT TRIGGER refusal ON ddl_command_start EXECUTE FUNCTION refuse_limits();
                """)
        }
        try await open(database).close()
    }
}
