import Base
import Foundation
import Storage
import Testing
import TestSupport

@Suite("Jobs of one process") struct JobServiceTests {
    private func with(
        width: Int = 1, maximumWaiting: Int = 4, remembered: Int? = nil, _ body: (CountingJobs) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let history = try await HistoryStore.open(HistoryConfiguration(directory: folder.path))
        let jobs = CountingJobs(history, width: width, maximumWaiting: maximumWaiting, remembered: remembered)
        try await body(jobs)
        await jobs.stopJobs()
        try await history.close()
    }

    @Test func `so many run at a time, in the order in which they came`() async throws {
        try await with(width: 2) { jobs in
            let records = (0..<3).map { _ in Counting() }
            for record in records { try await jobs.add(record) }
            try await eventually { jobs.table.counts == (1, 2) }
            #expect(jobs.table.record(records[2].id)?.state == .waiting)
            jobs.allow(3)
            try await eventually { jobs.seen.withLock { $0.ended.count } == 3 }
            #expect(Set(jobs.seen.withLock { $0.begun.prefix(2) }) == Set(records.prefix(2).map(\.id)))
            #expect(jobs.seen.withLock { $0.begun.last } == records[2].id)
            for record in records { #expect(try await jobs.row(record.id)?.state == .done) }
        }
    }

    @Test func `the line is bounded, and a place can be kept`() async throws {
        try await with(width: 1, maximumWaiting: 1) { jobs in
            try await jobs.add(Counting())
            let coming = ULID.next()
            #expect(jobs.table.hasRoom && jobs.table.reserve(coming))
            #expect(!jobs.table.hasRoom && !jobs.table.reserve(.next()))
            jobs.table.giveBack(coming)
            #expect(jobs.table.hasRoom)
            try await jobs.add(Counting(id: coming))
            #expect(!jobs.table.hasRoom)
            jobs.allow(3)
            try await eventually { jobs.table.hasRoom }
        }
    }

    @Test func `one that fails says why, and the next one runs`() async throws {
        try await with { jobs in
            let bad = Counting(target: -1)
            let good = Counting()
            jobs.allow(3)
            try await jobs.add(bad)
            try await jobs.add(good)
            try await eventually { jobs.seen.withLock { $0.ended } == [bad.id, good.id] }
            let row = try #require(try await jobs.row(bad.id))
            #expect(row.state == .failed && row.problem == "CannotCount()")
        }
    }

    @Test func `one that is cancelled ends, whether it runs or waits`() async throws {
        try await with { jobs in
            let (runs, waits) = (Counting(), Counting())
            try await jobs.add(runs)
            try await jobs.add(waits)
            try await eventually { jobs.isCounting(runs.id) }
            try await jobs.cancel(waits.id)
            try await jobs.cancel(runs.id)
            for record in [runs, waits] {
                #expect(try await jobs.row(record.id)?.state == .cancelled)
                await #expect(throws: CancellationError.self) {
                    try await jobs.update(record.id) { $0.state = .done }
                }
                // Cancelling again changes nothing.
                try await jobs.cancel(record.id)
            }
            #expect(jobs.seen.withLock { $0.ended } == [waits.id, runs.id])
            #expect(jobs.seen.withLock { $0.begun } == [runs.id])
        }
    }

    @Test func `a finished job is not cancelled`() async throws {
        try await with { jobs in
            let record = Counting()
            jobs.allow(3)
            try await jobs.add(record)
            try await eventually { jobs.seen.withLock { $0.ended } == [record.id] }
            try await jobs.cancel(record.id)
            #expect(try await jobs.row(record.id)?.state == .done)
        }
    }

    @Test func `a row that was read too early does not begin a finished job again`() async throws {
        try await with { jobs in
            let record = Counting()
            jobs.allow(3)
            try await jobs.add(record)
            try await eventually { jobs.seen.withLock { $0.ended } == [record.id] }
            jobs.follow(Counting(id: record.id, state: .counting, count: 1))
            #expect(jobs.table.record(record.id)?.state == .done)
            #expect(jobs.seen.withLock { $0.changes.count { $0.now.state == .done } } == 1)
        }
    }

    @Test func `the end of one that another process cancelled is reported once`() async throws {
        try await with { jobs in
            let (record, next) = (Counting(), Counting())
            try await jobs.add(record)
            try await jobs.add(next)
            try await eventually { jobs.isCounting(record.id) }
            let cancelled = Counting(id: record.id, state: .cancelled)
            #expect(try await jobs.history.scans.updateJob(try cancelled.row(), unless: []))
            await jobs.lookAround()
            // The next one begins after the task of the first one has ended.
            try await eventually { jobs.isCounting(next.id) }
            #expect(jobs.seen.withLock { $0.ended } == [record.id])
        }
    }

    @Test func `the work on one that is removed stops`() async throws {
        try await with { jobs in
            let (first, second) = (Counting(), Counting())
            try await jobs.add(first)
            try await eventually { jobs.isCounting(first.id) }
            #expect(try await jobs.remove(first.id))
            #expect(try await !jobs.remove(first.id))
            #expect(try await jobs.job(first.id) == nil)
            // The next job takes its turn.
            try await jobs.add(second)
            try await eventually { jobs.isCounting(second.id) }
        }
    }

    @Test func `removing the row elsewhere stops the work`() async throws {
        try await with { jobs in
            let record = Counting()
            try await jobs.add(record)
            try await eventually { jobs.isCounting(record.id) }
            _ = try await jobs.history.scans.removeJob(Counting.kind, id: record.id)
            jobs.allow(3)
            try await eventually { jobs.seen.withLock { $0.removed } == [record.id] }
            #expect(jobs.table.records.isEmpty)
        }
    }

    @Test func `what an earlier process left goes on`() async throws {
        try await with { jobs in
            let interrupted = Counting(state: .counting, count: 2, attempts: 1)
            let over = Counting(state: .failed)
            let damaged = Counting(count: -1)
            for record in [interrupted, over, damaged] { try await jobs.history.scans.saveJob(try record.row()) }
            jobs.allow(3)
            await jobs.begin()
            try await eventually { jobs.seen.withLock { $0.ended } == [interrupted.id] }
            #expect(try await jobs.row(interrupted.id)?.attempts == 2)
            #expect(Set(jobs.table.records.map(\.id)) == [interrupted.id, over.id])
        }
    }

    @Test func `one that loses the store begins again`() async throws {
        try await with { jobs in
            jobs.seen.withLock { ($0.outages, $0.limit) = (2, 3) }
            let record = Counting()
            try await jobs.add(record)
            try await eventually {
                !jobs.seen.withLock(\.begun).isEmpty && jobs.table.record(record.id)?.state == .waiting
            }
            try await eventually { jobs.seen.withLock { $0.ended } == [record.id] }
            let row = try #require(try await jobs.row(record.id))
            #expect(row.state == .done && row.attempts == 1)
            #expect(jobs.seen.withLock { $0.begun.count } == 3)
        }
    }

    @Test func `one that loses the store each time fails`() async throws {
        try await with { jobs in
            jobs.seen.withLock { ($0.outages, $0.limit) = (.max, 3) }
            let record = Counting()
            try await jobs.add(record)
            try await eventually { jobs.seen.withLock { $0.ended } == [record.id] }
            #expect(try await jobs.row(record.id)?.state == .failed)
            #expect(jobs.seen.withLock { $0.begun.count } == 4)
        }
    }

    @Test func `one whose files another process works on gets another turn`() async throws {
        try await with { jobs in
            jobs.seen.withLock { ($0.isElsewhere, $0.limit) = (true, 3) }
            let record = Counting()
            try await jobs.add(record)
            try await Task.sleep(for: .milliseconds(50))
            #expect(jobs.table.record(record.id)?.state == .waiting)
            jobs.seen.withLock { $0.isElsewhere = false }
            try await eventually { jobs.seen.withLock { $0.ended } == [record.id] }
        }
    }

    @Test func `only so many that are over are remembered`() async throws {
        try await with(remembered: 1) { jobs in
            let records = (0..<3).map { _ in Counting() }
            jobs.allow(3)
            for record in records { try await jobs.add(record) }
            try await eventually { jobs.seen.withLock { $0.ended.count } == 3 }
            try await eventually { jobs.table.records.map(\.id) == [records[2].id] }
            #expect(try await jobs.job(records[0].id)?.state == .done)
        }
    }

    @Test func `all work stops, and no more is taken`() async throws {
        try await with { jobs in
            let record = Counting()
            try await jobs.add(record)
            try await eventually { jobs.isCounting(record.id) }
            await jobs.stopJobs()
            #expect(try await jobs.row(record.id)?.state == .counting)
            #expect(!jobs.table.hasRoom && !jobs.table.reserve(.next()))
        }
    }
}
