import Base
import Foundation
import Storage
import Testing
import TestSupport

@Suite("Jobs that replicas share", .serialized, .enabled(if: PostgreSQLServer.isAvailable)) struct SharedJobTests {
    private func with(_ body: (_ first: CountingJobs, _ second: CountingJobs) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let database = try PostgreSQLServer.shared.get().newDatabase()
        func open(_ name: String) async throws -> CountingJobs {
            CountingJobs(
                try await HistoryStore.open(
                    HistoryConfiguration(
                        backend: .postgreSQL(connectionString: database), directory: "\(folder.path)/\(name)")))
        }
        let (first, second) = (try await open("first"), try await open("second"))
        try await body(first, second)
        for jobs in [first, second] {
            await jobs.stopJobs()
            try await jobs.history.close()
        }
    }

    @Test func `one replica works, the other one follows`() async throws {
        try await with { first, second in
            let record = Counting()
            first.allow(1)
            try await first.add(record)
            await second.begin()
            try await eventually { second.table.record(record.id)?.count == 1 }
            #expect(!second.table.isHere(record.id))
            first.allow(3)
            try await eventually { second.table.record(record.id)?.state == .done }
            #expect(second.seen.withLock { $0.begun.isEmpty && $0.ended.isEmpty })
            let counts = second.seen.withLock { $0.changes.map(\.now.count) }
            #expect(counts == counts.sorted() && counts.last == 3, "\(counts)")
        }
    }

    @Test func `what a replica has not done at its end is another one's, and counts as no attempt`() async throws {
        try await with { first, second in
            let record = Counting()
            try await first.add(record)
            try await eventually { first.isCounting(record.id) }
            await second.begin()
            await first.stopJobs()
            #expect(try await first.row(record.id)?.state == .waiting)
            second.allow(3)
            await second.lookAround()
            try await eventually { second.seen.withLock { $0.ended } == [record.id] }
            #expect(try await second.row(record.id)?.attempts == 1)
        }
    }

    @Test func `a replica that has lost its claim stops the work`() async throws {
        try await with { first, second in
            let record = Counting()
            try await first.add(record)
            try await eventually { first.isCounting(record.id) }
            // Simulates a replica that was away for too long.
            try await first.history.claims?.release(record.id)
            #expect(try await second.history.claims?.claim(record.id, for: 600) == true)
            await first.lookAround()
            #expect(!first.table.isHere(record.id))
            second.allow(3)
            await second.begin()
            try await eventually { second.seen.withLock { $0.ended } == [record.id] }
            try await eventually { first.table.record(record.id)?.state == .done }
            #expect(first.seen.withLock { $0.ended.isEmpty })
        }
    }

    @Test func `a job is cancelled, or removed, at whichever replica`() async throws {
        try await with { first, second in
            let (cancelled, removed) = (Counting(), Counting())
            try await first.add(cancelled)
            try await first.add(removed)
            try await eventually { first.isCounting(cancelled.id) }
            await second.begin()
            try await second.cancel(cancelled.id)
            // The replica notices the loss at its next report of progress, or when it stores the end.
            first.allow(3)
            try await eventually { first.table.record(cancelled.id)?.state == .cancelled }
            first.allow(1)
            #expect(try await second.remove(removed.id))
            first.allow(3)
            await first.lookAround()
            try await eventually { first.seen.withLock { $0.removed } == [removed.id] }
            #expect(try await first.row(cancelled.id)?.state == .cancelled)
        }
    }

    @Test func `a file is brought to whichever replica needs it`() async throws {
        let folder = try TemporaryFolder()
        try await with { first, second in
            let (id, path) = (ULID.next(), "\(folder.path)/other/copy")
            let bytes = [UInt8]((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try Data(bytes).write(to: URL(fileURLWithPath: "\(folder.path)/original"))
            #expect(try await !second.files.bring("photos", of: id, to: path))
            #expect(try await first.files.share("photos", of: id, at: "\(folder.path)/original"))
            #expect(try await second.files.bring("photos", of: id, to: path))
            #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
            try await second.files.remove(id)
            #expect(try await first.files.bytes == 0)
        }
    }

    @Test func `processes with one folder fetch one after the other`() async throws {
        let folder = try TemporaryFolder()
        try await with { first, second in
            let (id, path) = (ULID.next(), "\(folder.path)/copy")
            try folder.write([1, 2, 3], "original")
            #expect(try await first.files.share("photos", of: id, at: "\(folder.path)/original"))
            // Another process is fetching the file.
            let other = try #require(FileSystem.lockDirectory(folder.path))
            try folder.write([1], "copy.partial")
            let fetching = Task { try await second.files.bring("photos", of: id, to: path) }
            try await Task.sleep(for: .milliseconds(500))
            #expect(FileSystem.attributes(path) == nil)
            #expect(FileSystem.attributes(path + ".partial")?.size == 1)
            FileSystem.closeDescriptor(other)
            #expect(try await fetching.value)
            #expect(try FileSystem.load(path, limit: 10) == [1, 2, 3])
            #expect(FileSystem.attributes(path + ".partial") == nil)
        }
    }
}
