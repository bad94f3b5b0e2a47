/// A content coding that this server knows (RFC 9110 §8.4.1). Answers are packed with gzip alone; requests may come in
/// each.
package enum ContentCoding: String, Hashable, Sendable, CaseIterable {
    case identity
    case gzip
    /// zlib's format (RFC 1950).
    case deflate

    /// - Parameter name: as it stands in a field; `x-gzip` is `gzip`.
    init?(name: String) {
        let name = name.lowercased()
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }

    /// What of it a request may use, as `Accept-Encoding` says it.
    static let accepted = "gzip, deflate"
}
