internal import Base
internal import Foundation

/// Threads with a connection each, for read-only transactions.
final class PostgreSQLReaders: Sendable {
    private typealias Work = @Sendable (PostgreSQLSession) -> Void

    /// The state that the threads share. They hold this and not the pool, so that the pool can end them.
    private final class Shared: Sendable {
        let line = Locked((waiting: [Work](), isClosed: false))
        let available = DispatchSemaphore(value: 0)

        func run(_ session: PostgreSQLSession) {
            while true {
                available.wait()
                let (next, isClosed) = line.withLock { line in
                    (line.waiting.isEmpty ? nil : line.waiting.removeFirst(), line.isClosed)
                }
                if let next {
                    next(session)
                } else if isClosed {
                    return
                }
            }
        }
    }

    private let shared = Shared()
    private let count: Int
    private let maximumPending: Int

    init(connectionString: String, patience: TimeInterval, count: Int, maximumPending: Int) {
        self.count = count
        self.maximumPending = maximumPending
        for _ in 0..<count {
            let thread = Thread { [shared] in
                shared.run(PostgreSQLSession(connectionString: connectionString, patience: patience))
            }
            thread.name = "menagerie.history.postgresql.read"
            thread.stackSize = 1_024 * 1_024
            thread.start()
        }
    }

    deinit { close() }

    /// Ends the threads and their connections when nothing waits any more. Later reads are refused.
    func close() {
        shared.line.withLock { $0.isClosed = true }
        for _ in 0..<count { shared.available.signal() }
    }

    func read<Value: Sendable>(_ body: @escaping SQLTransaction<Value>) async throws(HistoryError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, HistoryError>, Never>) in
            let work: Work = { session in
                continuation.resume(
                    returning: Result { () throws(HistoryError) in
                        // All statements see one state of the database, as in SQLite.
                        try session.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
                    })
            }
            let refusal = shared.line.withLock { line -> HistoryError? in
                // The threads may have ended already.
                if line.isClosed { return .closed }
                if line.waiting.count >= maximumPending { return .overloaded(pending: line.waiting.count) }
                line.waiting.append(work)
                return nil
            }
            if let refusal {
                continuation.resume(returning: .failure(refusal))
            } else {
                shared.available.signal()
            }
        }
        return try result.get()
    }
}
