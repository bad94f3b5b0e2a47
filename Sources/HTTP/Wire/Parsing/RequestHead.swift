/// The way to find the end of a request's body (RFC 9112 §6.3).
package enum BodyFraming: Hashable, Sendable {
    case none
    /// A length in bytes, above 0.
    case length(Int)
    case chunked
}

/// The parsed request line and field lines.
package struct RequestHead: Sendable {
    package var method: Method
    package var target: String
    /// The decoded and normalised path; see ``Request/path``.
    package var path: String
    /// Whether the version is HTTP/1.0 rather than 1.1.
    package var isVersion10: Bool
    package var fields: HeaderFields
    package var framing: BodyFraming
    /// Whether the connection may carry another request (RFC 9112 §9.3).
    package var keepsAlive: Bool
    /// Whether the head has `Expect: 100-continue` (RFC 9110 §10.1.1).
    package var expectsContinue: Bool
    /// The client's `X-Request-Id`, if it is 1–128 visible ASCII characters.
    package var requestID: String?
}
