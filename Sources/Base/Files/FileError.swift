internal import Foundation

/// The reason why a file could not be made, read, written or moved.
package enum FileError: Error, Hashable, Sendable {
    /// The disk, or the user's share of it, has no room left.
    case diskFull(path: String)
    /// The program's user may not write there, or the file system is read-only.
    case readOnly(path: String)
    /// The file is larger than its reader allows. Both numbers are in bytes.
    case tooLarge(path: String, bytes: Int, limit: Int)
    /// Any other error of the system, with its errno(3).
    case failed(path: String, code: Int32)
}

extension FileError {
    /// The same error with the path of another file.
    package func about(_ path: String) -> FileError {
        switch self {
        case .diskFull: .diskFull(path: path)
        case .readOnly: .readOnly(path: path)
        case .tooLarge(_, let bytes, let limit): .tooLarge(path: path, bytes: bytes, limit: limit)
        case .failed(_, let code): .failed(path: path, code: code)
        }
    }
}

extension FileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .diskFull(let path): "The disk that holds \(path) is full: free some space."
        case .readOnly(let path):
            "\(path) cannot be written to: check its owner, its permissions and whether its file system is read-only."
        case .tooLarge(let path, let bytes, let limit): "\(path) has \(bytes) bytes; at most \(limit) are read."
        case .failed(let path, let code): "\(path): \(String(cString: strerror(code)))"
        }
    }
}
