internal import Foundation

/// A connection that opens when it is needed and reopens when it is lost. Only one thread may use it at a time.
final class PostgreSQLSession {
    private let connectionString: String
    private let patience: TimeInterval
    private var connection: PostgreSQLConnection?
    /// The last failure to reach the server, with the beginning of its last attempt.
    private var loss: (began: ContinuousClock.Instant, error: HistoryError)?

    init(connectionString: String, patience: TimeInterval) {
        self.connectionString = connectionString
        self.patience = patience
    }

    /// The failure to reach the server, if an attempt that began after a moment has failed.
    func loss(after moment: ContinuousClock.Instant) -> HistoryError? {
        loss.flatMap { $0.began > moment ? $0.error : nil }
    }

    /// Runs the body in a transaction. If the connection is lost, or the server asks for it, the whole is repeated at
    /// growing intervals until `patience` ends. On an earlier connection it is repeated at least once, because one that
    /// went stale says nothing about the server. The body may therefore run again after its commit.
    func transaction<Value>(
        _ begin: String, _ body: (PostgreSQLConnection) throws -> Value
    ) throws(HistoryError) -> Value {
        let deadline = ContinuousClock.now + .seconds(patience)
        var pause: TimeInterval = 0.02
        var mayBeStale = connection != nil
        while true {
            let began = ContinuousClock.now
            do {
                return try attempt(begin, body)
            } catch {
                guard let error = error as? PostgreSQLError,
                    mayBeStale && error.isOfReader
                        || error.isWorthRepeating && (mayBeStale || .now + .seconds(pause) < deadline)
                else {
                    let failure = HistoryError.postgreSQL(error)
                    if (error as? PostgreSQLError)?.isConnectionLost == true { loss = (began, failure) }
                    throw failure
                }
                mayBeStale = false
                if error.isConnectionLost || error.isOfReader { connection = nil }
                // A random pause keeps replicas that lost the server together from reconnecting together.
                Thread.sleep(forTimeInterval: pause * .random(in: 0.5...1))
                pause = min(pause * 2, 1)
            }
        }
    }

    private func attempt<Value>(_ begin: String, _ body: (PostgreSQLConnection) throws -> Value) throws -> Value {
        let connection = try self.connection ?? PostgreSQLConnection(connectionString)
        self.connection = connection
        do {
            try connection.command(begin)
            let value = try body(connection)
            try connection.command("COMMIT")
            return value
        } catch {
            // On a lost connection this fails too, and the server rolls back by itself.
            do { try connection.command("ROLLBACK") } catch { self.connection = nil }
            throw error
        }
    }
}

extension HistoryError {
    /// Translates an error of PostgreSQL (SQLSTATE: PostgreSQL, appendix A).
    static func postgreSQL(_ error: any Error) -> HistoryError {
        if let error = error as? HistoryError { return error }
        guard let error = error as? PostgreSQLError else { return .unavailable("PostgreSQL: \(error)") }
        switch error.state {
        case "53100": return .diskFull(path: HistoryError.postgreSQLServer)
        case "25006", "42501": return .readOnly(path: "the PostgreSQL database")
        case "55P03", "40001", "40P01": return .locked(path: "the PostgreSQL database")
        case "XX001", "XX002": return .corruptDatabase(path: "the PostgreSQL server", detail: error.message)
        default: return .unavailable("PostgreSQL: \(error.message)")
        }
    }
}
