internal import Base
internal import Foundation

/// Threads with a connection each, for read-only transactions.
final class PostgreSQLReaders: Sendable {
    private typealias Work = @Sendable (PostgreSQLSession) -> Void

    /// The threads hold this and not the pool, so that the pool can end them.
    private let line = Monitor((waiting: [Work](), isClosed: false))
    private let maximumPending: Int

    init(connectionString: String, patience: TimeInterval, count: Int, maximumPending: Int) {
        self.maximumPending = maximumPending
        for _ in 0..<count {
            let thread = Thread { [line] in
                let session = PostgreSQLSession(connectionString: connectionString, patience: patience)
                while let work = Self.next(in: line) { work(session) }
            }
            thread.name = "menagerie.history.postgresql.read"
            thread.stackSize = 1_024 * 1_024
            thread.start()
        }
    }

    deinit { close() }

    /// Waits for work. Nil if none will come.
    private static func next(in line: Monitor<(waiting: [Work], isClosed: Bool)>) -> Work? {
        line.waitUntil { line in
            if !line.waiting.isEmpty { return .done(line.waiting.removeFirst()) }
            return line.isClosed ? .done(nil) : .wait
        }
    }

    /// Ends the threads and their connections when nothing waits any more. Later reads are refused.
    func close() {
        line.withLock { $0.isClosed = true }
        line.broadcast()
    }

    func read<Value: Sendable>(_ body: @escaping SQLTransaction<Value>) async throws(HistoryError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, HistoryError>, Never>) in
            let asked = ContinuousClock.now
            let work: Work = { session in
                continuation.resume(
                    returning: Result { () throws(HistoryError) in
                        // While the server is away each read would wait for it anew, after all those before it.
                        if let loss = session.loss(after: asked) { throw loss }
                        // All statements see one state of the database, as in SQLite.
                        return try session.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
                    })
            }
            let refusal = line.withLock { line -> HistoryError? in
                // The threads may have ended already.
                if line.isClosed { return .closed }
                if line.waiting.count >= maximumPending { return .overloaded(pending: line.waiting.count) }
                line.waiting.append(work)
                return nil
            }
            if let refusal {
                continuation.resume(returning: .failure(refusal))
            } else {
                line.signal()
            }
        }
        return try result.get()
    }
}
