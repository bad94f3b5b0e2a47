/// How the end of a request's body is found (RFC 9112 §6.3).
enum BodyFraming: Hashable, Sendable {
    case none
    /// In bytes, above 0.
    case length(Int)
    case chunked
}

/// The parsed request line and field lines.
struct RequestHead: Sendable {
    var method: Method
    var target: String
    /// Decoded and normalised; see ``Request/path``.
    var path: String
    /// HTTP/1.0 rather than 1.1.
    var isVersion10: Bool
    var fields: HeaderFields
    var framing: BodyFraming
    /// Bytes that the decoded body may have.
    var bodyLimit: Int
    /// Whether the connection may carry another request (RFC 9112 §9.3).
    var keepsAlive: Bool
    /// `Expect: 100-continue` (RFC 9110 §10.1.1).
    var expectsContinue: Bool
    /// The client's `X-Request-Id`, when it is 1–128 visible ASCII characters.
    var requestID: String?
}
