internal import Base
internal import Foundation

/// Threads with a connection each, for transactions that only read.
final class PostgreSQLReaders: Sendable {
    private typealias Work = @Sendable (PostgreSQLSession) -> Void

    /// What the threads share; they hold this and not the pool, so that the pool can end them.
    private final class Shared: Sendable {
        let waiting = Locked<[Work]>([])
        let available = DispatchSemaphore(value: 0)

        func run(_ session: PostgreSQLSession) {
            while true {
                available.wait()
                // Nothing to do although woken: the pool is closed.
                guard let next = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
                next(session)
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

    deinit {
        close()
    }

    /// Ends the threads, and with them their connections, once nothing waits any more.
    func close() {
        for _ in 0..<count { shared.available.signal() }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(HistoryError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, HistoryError>, Never>) in
            let work: Work = { session in
                continuation.resume(
                    returning: Result { () throws(HistoryError) in
                        // All statements see one state of the database, as in SQLite.
                        try session.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
                    })
            }
            let pending = shared.waiting.withLock { waiting -> Int? in
                if waiting.count >= maximumPending { return waiting.count }
                waiting.append(work)
                return nil
            }
            if let pending {
                continuation.resume(returning: .failure(.overloaded(pending: pending)))
            } else {
                shared.available.signal()
            }
        }
        return try result.get()
    }
}
