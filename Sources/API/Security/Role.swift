/// What the holder of a key may do; each role may do all that the ones before it may.
package enum Role: String, Codable, CaseIterable, Comparable, Sendable {
    /// Everything that changes nothing.
    case reader
    /// Also scans, the history, favourites, and what else a person collects.
    case user
    /// Also models, settings, metrics, imports, and deleting everything.
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
