import Base
import Foundation
import Logging
import Storage
import TestSupport

/// A job that counts to a number.
struct Counting: JobRecord {
    enum State: String, Codable, JobState { case waiting, counting, done, failed, cancelled }

    static let kind = "counting"

    var id = ULID.next()
    var state = State.waiting
    var target = 3
    var count = 0
    var attempts = 0
    var problem: String?

    var progressMark: Int { count }

    func validate() throws(HistoryError) { try RowRules.count(count, atMost: 1_000, "count") }
}

struct CannotCount: Error {}

/// Jobs that count whenever the test allows it.
final class CountingJobs: JobService {
    struct Seen {
        /// The jobs in the order in which they began.
        var begun: [ULID] = []
        var changes: [(earlier: Counting?, now: Counting)] = []
        var ended: [ULID] = []
        var removed: [ULID] = []
        /// The number that the jobs may count to.
        var limit = 0
        var isElsewhere = false
        /// How many attempts still lose the store.
        var outages = 0
    }

    let table: JobTable<Counting>
    let history: HistoryStore
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let files: JobFiles
    let seen = Locked(Seen())

    init(_ history: HistoryStore, width: Int = 1, maximumWaiting: Int = 4, remembered: Int? = nil) {
        self.history = history
        table = JobTable(width: width, maximumWaiting: maximumWaiting, remembered: remembered)
        files = JobFiles(history, "countings")
    }

    func allow(_ count: Int) { seen.withLock { $0.limit = count } }

    func canRun(_ record: Counting) async throws -> Bool { true }

    func run(_ record: Counting) async throws {
        let id = record.id
        if seen.withLock({ $0.isElsewhere }) { throw JobIsElsewhere() }
        seen.withLock { $0.begun.append(id) }
        try await update(id) {
            $0.state = .counting
            $0.attempts += 1
            $0.count = 0
        }
        let isAway = seen.withLock { seen in
            defer { seen.outages = max(0, seen.outages - 1) }
            return seen.outages > 0
        }
        if isAway { throw HistoryError.unavailable("as the test wants it") }
        guard record.target >= 0 else { throw CannotCount() }
        for count in 1...record.target {
            while seen.withLock({ $0.limit }) < count { try await Task.sleep(for: .milliseconds(2)) }
            note(id) { $0.count = count }
        }
        try await update(id) { $0.state = .done }
    }

    func end(_ record: inout Counting, _ error: any Error) {
        record.state = error is CancellationError ? .cancelled : .failed
        record.problem = "\(error)"
    }

    func handOver(_ record: inout Counting) { record.attempts -= 1 }

    func changed(_ record: Counting, from earlier: Counting?) {
        seen.withLock { $0.changes.append((earlier, record)) }
    }

    func ended(_ record: Counting) async { seen.withLock { $0.ended.append(record.id) } }

    func removed(_ id: ULID, _ record: Counting?, wasHere: Bool) async { seen.withLock { $0.removed.append(id) } }

    /// The stored record. Nil if there is none.
    func row(_ id: ULID) async throws -> Counting? {
        try await history.scans.job(Counting.kind, id: id).flatMap { Counting($0) }
    }

    func isCounting(_ id: ULID) -> Bool { table.record(id)?.state == .counting }
}
