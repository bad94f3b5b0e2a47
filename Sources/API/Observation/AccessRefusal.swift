/// Why a request may not, as the metrics count it.
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
