/// A content coding that this server supports (RFC 9110 §8.4.1). Requests may use any of them; responses use gzip only.
package enum ContentCoding: String, Hashable, Sendable, CaseIterable {
    case identity
    case gzip
    /// zlib's format (RFC 1950).
    case deflate

    /// - Parameter name: the name in a field; `x-gzip` means `gzip`.
    init?(name: String) {
        let name = name.lowercased()
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }

    /// The value of `Accept-Encoding` that tells clients what requests may use.
    static let accepted = "gzip, deflate"
}
