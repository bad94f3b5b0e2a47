/// Learns of refused requests and of the number of keys, such as for metrics.
package protocol AccessObserver: Sendable {
    func refused(_ reason: AccessRefusal)
    /// Called when the keys were read.
    func holds(_ keys: Int, of role: Role)
}

/// The reasons of a refused access.
package enum AccessRefusal: String, CaseIterable, Sendable {
    /// No key, or a wrong one.
    case key
    case role
    /// Too many requests.
    case rate
    /// Too many wrong keys.
    case wrongKeys = "wrong_keys"
}
