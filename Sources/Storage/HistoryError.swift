package import Base
internal import Foundation

/// An error of the history. Every message says what, where, and what would be right.
package enum HistoryError: Error, Hashable, Sendable {
    case notFound(String)
    /// A value is outside what is allowed.
    case invalid(field: String, problem: String)
    /// The idempotency key already names a scan of another photo, or of the same photo with other options.
    case idempotencyKeyReused(String)
    case undoExpired(String)
    case photoTooLarge(bytes: Int, limit: Int)
    case corruptPhoto(path: String)
    case missingPhoto(path: String)
    /// The row of a scan cannot be read, or it breaks the rules for scans.
    case damagedScan(id: String, problem: String)
    case diskFull(path: String)
    case readOnly(path: String)
    /// Another process held the database for longer than the busy timeout.
    case locked(path: String)
    case corruptDatabase(path: String, detail: String)
    /// No history exists, and the configuration demands one.
    case noHistory(path: String, detail: String)
    case newerSchema(path: String)
    /// Too many saves are waiting. The caller may try again later.
    case overloaded(pending: Int)
    /// The caller's task was cancelled. Nothing was written.
    case cancelled
    case closed
    /// The store cannot be reached, or it failed in a way without a case of its own.
    case unavailable(String)
}

extension HistoryError {
    /// Stands for a path on another machine.
    package static let postgreSQLServer = "the PostgreSQL server"
}

extension HistoryError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notFound(let id):
            "No scan has the id '\(id)'. GET /history lists those there are."
        case .invalid(let field, let problem):
            "'\(field)' is not acceptable: \(problem)."
        case .idempotencyKeyReused(let key):
            "The idempotency key '\(key)' was already used for another request (other photos or other options): use a new "
                + "key for each request."
        case .undoExpired(let id):
            "The deletion '\(id)' is unknown, can no longer be undone, or all that it deleted is back."
        case .photoTooLarge(let bytes, let limit):
            "The photo to store has \(bytes) bytes; at most \(limit) are allowed."
        case .corruptPhoto(let path):
            "The stored photo at \(path) is damaged (its SHA-256 does not match its name): restore it from a backup."
        case .missingPhoto(let path):
            "The stored photo at \(path) is missing: restore it from a backup."
        case .damagedScan(let id, let problem):
            "The scan '\(id)' cannot be shown: \(problem) Delete it, or restore it from a backup."
        case .diskFull(let path):
            "The disk that holds \(path) is full: free some space, or set a retention limit."
        case .readOnly(let path):
            "\(path) cannot be written to: check its owner, its permissions and whether its file system is read-only."
        case .locked(let path):
            "Another process keeps \(path) locked: stop it, or try again."
        case .corruptDatabase(let path, let detail):
            "The database at \(path) is damaged (\(detail)): restore it from a backup."
        case .noHistory(let path, let detail):
            "There is no history in \(path): \(detail)."
        case .newerSchema(let path):
            "The database at \(path) was written by a newer version of Menagerie: start that version."
        case .overloaded(let pending):
            "\(pending) saves are already waiting for the disk: try again shortly."
        case .cancelled:
            "The request was cancelled before the history answered."
        case .closed:
            "The history is closed: the server is shutting down."
        case .unavailable(let detail):
            "The history is unavailable: \(detail)."
        }
    }
}

extension HistoryError {
    /// Whether the same request may succeed later, although nobody changes anything.
    package var mayPass: Bool {
        switch self {
        case .unavailable, .locked, .overloaded: true
        default: false
        }
    }

    /// Translates the refusal of an input that was not committed.
    init(_ refusal: CommitRefusal) {
        self =
            switch refusal {
            case .closed: .closed
            case .full(let pending): .overloaded(pending: pending)
            case .unanswered: .unavailable("a commit left a write unanswered")
            }
    }
}

extension BlockingPool {
    /// Returns what the body returned. Throws `overloaded` without waiting when too many others wait already.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(HistoryError) -> Value
    ) async throws(HistoryError) -> Value {
        try await run(whenFull: { .overloaded(pending: $0) }, body)
    }

    /// The same for a body with other errors.
    package func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run(whenFull: { HistoryError.overloaded(pending: $0) as any Error }) {
            () throws(any Error) in try body()
        }
    }
}

extension HistoryError {
    /// Translates an error of the file system.
    package init(_ error: FileError) {
        switch error {
        case .diskFull(let path): self = .diskFull(path: path)
        case .readOnly(let path): self = .readOnly(path: path)
        case .tooLarge(_, let bytes, let limit): self = .photoTooLarge(bytes: bytes, limit: limit)
        case .failed: self = .unavailable(error.description)
        }
    }
}

/// Runs work on files and translates its errors.
func onDisk<Result>(_ work: @autoclosure () throws(FileError) -> Result) throws(HistoryError) -> Result {
    do throws(FileError) {
        return try work()
    } catch {
        throw HistoryError(error)
    }
}
