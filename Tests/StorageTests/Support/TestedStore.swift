import Base
import Foundation
import Testing
import TestSupport

@testable import Storage

enum TestedStore: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgreSQL

    /// PostgreSQL is included only if its server is installed. Otherwise `PostgreSQLTests` reports that.
    static var allCases: [TestedStore] {
        PostgreSQLServer.isAvailable ? [.sqlite, .postgreSQL] : [.sqlite]
    }

    var testDescription: String { rawValue }

    /// Runs the body with a new, empty store.
    func withRepository(
        clock: TestClock = TestClock(), _ body: (HistoryRepository) async throws -> Void
    ) async throws {
        let options = RepositoryOptions(undoGrace: 600, now: { clock.now })
        switch self {
        case .sqlite:
            let directory = try TemporaryDirectory()
            try await check(
                SQLiteDatabase.repository(path: directory("history.sqlite"), options: options), body)
        case .postgreSQL:
            let database = try PostgreSQLServer.shared.get().newDatabase()
            try await check(
                PostgreSQLDatabase.repository(connectionString: database, readers: 2, options: options), body)
        }
    }

    private func check(
        _ repository: HistoryRepository, _ body: (HistoryRepository) async throws -> Void
    ) async throws {
        try await body(repository)
        #expect(try await repository.checkIntegrity() == [])
        try await repository.close()
        await #expect(throws: HistoryError.closed) { try await repository.save(.fixture()) }
        await #expect(throws: HistoryError.closed) { try await repository.count() }
    }
}

extension HistoryRepository {
    @discardableResult
    func save(_ scan: Scan) async throws(HistoryError) -> Scan {
        try await save(scan, photo: nil, idempotencyKey: nil)
    }

    /// Saves a scan whose photo, if it has one, has been stored already.
    @discardableResult
    func save(
        _ scan: Scan, photo: StoredPhoto?, idempotencyKey: String?
    ) async throws(HistoryError) -> Scan {
        var scan = scan
        scan.photo = photo
        return try await save(scan, writing: [], idempotencyKey: idempotencyKey).scan
    }

    /// Saves scans one millisecond apart.
    ///
    /// - Returns: the scans, oldest first.
    func save(count: Int, from start: Date = Date(milliseconds: 1_700_000_000_000)) async throws -> [Scan] {
        var scans: [Scan] = []
        for index in 0..<count {
            let id = ULID(date: start.addingTimeInterval(Double(index) / 1_000))
            scans.append(try await save(.fixture(id: id)))
        }
        return scans
    }
}

extension HistoryRepository {
    /// The number of scans that a list shows, without deleted ones.
    func count() async throws(HistoryError) -> Int { try await page(HistoryQuery(limit: 1)).total }
}
