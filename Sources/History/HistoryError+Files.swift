package import Base
internal import Foundation

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
