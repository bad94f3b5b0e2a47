package import Base
internal import Foundation

extension HistoryError {
    /// What a failed file means to the history.
    package init(_ error: FileError) {
        switch error {
        case .diskFull(let path): self = .diskFull(path: path)
        case .readOnly(let path): self = .readOnly(path: path)
        case .tooLarge(_, let bytes, let limit): self = .photoTooLarge(bytes: bytes, limit: limit)
        case .failed: self = .unavailable(error.description)
        }
    }
}

/// Runs work on files; what goes wrong is told as the history tells it.
func onDisk<Result>(_ work: @autoclosure () throws(FileError) -> Result) throws(HistoryError) -> Result {
    do throws(FileError) {
        return try work()
    } catch {
        throw HistoryError(error)
    }
}
