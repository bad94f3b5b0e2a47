internal import Base
internal import Foundation
internal import GRDB

extension HistoryError {
    /// Translates an error that SQLite or GRDB reported about the database at the path.
    static func sqlite(_ error: any Error, path: String) -> HistoryError {
        if let error = error as? HistoryError { return error }
        if let error = error as? FileError { return HistoryError(error) }
        if error is CancellationError { return .cancelled }
        guard let error = error as? DatabaseError else { return .unavailable("\(path): \(error)") }
        switch error.resultCode {
        case .SQLITE_FULL:
            return .diskFull(path: path)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            return .readOnly(path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return .locked(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            return .corruptDatabase(path: path, detail: error.message ?? "\(error.resultCode)")
        case .SQLITE_CANTOPEN, .SQLITE_IOERR:
            return ioError(error, path: path)
        case .SQLITE_INTERRUPT, .SQLITE_ABORT:
            return .cancelled
        case .SQLITE_MISUSE:
            return .closed
        default:
            return .unavailable("\(path): \(error.message ?? "SQLite error \(error.extendedResultCode.rawValue)")")
        }
    }

    /// SQLite reports a full disk, a read-only one and failing hardware alike. The state of the disk tells.
    private static func ioError(_ error: DatabaseError, path: String) -> HistoryError {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if FileSystem.isFull(directory) { return .diskFull(path: path) }
        if !FileSystem.isWritable(directory) { return .readOnly(path: path) }
        return .unavailable("\(path): \(error.message ?? "input/output error") (\(error.extendedResultCode.rawValue))")
    }
}
