/// A request method (RFC 9110 §9). It is case-sensitive, and any token is a method.
package struct Method: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let get = Method(rawValue: "GET")
    package static let head = Method(rawValue: "HEAD")
    package static let post = Method(rawValue: "POST")
    package static let put = Method(rawValue: "PUT")
    package static let patch = Method(rawValue: "PATCH")
    package static let delete = Method(rawValue: "DELETE")
    package static let options = Method(rawValue: "OPTIONS")
    package static let connect = Method(rawValue: "CONNECT")
    package static let trace = Method(rawValue: "TRACE")

    /// A safe request with a body (draft-ietf-httpbis-safe-method-w-body).
    package static let query = Method(rawValue: "QUERY")

    /// The methods of RFC 9110, RFC 5789 and the draft of QUERY that this server understands. A resource that lacks one
    /// of them answers 405 with the others in `Allow`. An unknown method gets 501.
    package static let known: Set<Method> = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .query]

    package var description: String { rawValue }
}
