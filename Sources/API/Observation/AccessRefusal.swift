/// The reasons of a refused access in the metrics.
enum AccessRefusal: String, CaseIterable {
    /// No key, or a wrong one.
    case key
    case role
    /// Too many requests.
    case rate
    /// Too many wrong keys.
    case wrongKeys = "wrong_keys"
}

extension ServiceMetrics {
    func refuse(_ reason: AccessRefusal) { refuse(reason.rawValue) }
}
