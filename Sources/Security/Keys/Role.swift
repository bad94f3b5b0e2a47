/// The rights of a key's holder. Each role includes those before it.
package enum Role: String, Codable, CaseIterable, Comparable, Sendable {
    /// May do everything that changes nothing.
    case reader
    /// May also make scans, change the history, favourites and other personal data.
    case user
    /// May also change models, settings and keys, read metrics, import, and delete everything.
    case admin

    package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .reader: 0
        case .user: 1
        case .admin: 2
        }
    }
}
