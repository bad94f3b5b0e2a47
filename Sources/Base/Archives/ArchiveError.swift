/// The reason why an archive cannot be read.
package enum ArchiveError: Error {
    case notAnArchive
    case notATAR
    case damaged(String)
    case unsupported(String)
    case tooLarge(String, limit: Int)
}

extension ArchiveError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnArchive: "The body is no ZIP archive."
        case .notATAR: "The body is no TAR archive."
        case .damaged(let detail): "The archive is damaged: \(detail)."
        case .unsupported(let detail): "The archive cannot be read: \(detail)."
        case .tooLarge(let name, let limit): "\(name) in the archive has more than \(limit) bytes."
        }
    }
}
