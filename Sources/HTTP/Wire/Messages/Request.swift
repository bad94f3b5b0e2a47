package import Base

package struct Request: Sendable {
    package var method: Method
    /// The request target as the client wrote it (RFC 9112 §3.2).
    package let target: String
    /// The path, percent-decoded and without dot segments. "%2F" stays as it is, so that every "/" separates segments.
    /// The asterisk-form gives "*".
    package let path: String
    package var headers: HeaderFields
    package var body: RequestBody
    /// The client's `X-Request-Id` if it is usable, otherwise a fresh id.
    package let id: String
    /// The client's address without the port. It comes from trusted proxies if `ServerConfiguration.trustedProxies`
    /// names them, otherwise from the connection. Empty for a Unix socket.
    package let remoteAddress: String
    /// The parameters of the path, which the router fills in.
    package var parameters: PathParameters
    /// The pattern that matched, for metrics.
    package var route: String?
    /// The time when the head had arrived.
    package let arrival: ContinuousClock.Instant
    package let transport: Transport
    /// The value of `ActiveSpan.current` in asynchronous handlers; nil if the request is not traced.
    package var span: ActiveSpan?

    /// The way in which the request came.
    package struct Transport: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The request came over TLS of this server.
        package static let tls = Transport(rawValue: 1)
        /// The request came from a proxy that `ServerConfiguration.trustedProxies` names.
        package static let trustedPeer = Transport(rawValue: 2)
    }
}

extension Request {
    /// Makes a request for tests and for calls within the process.
    package init(
        method: Method = .get, target: String = "/", headers: HeaderFields = [:], body: [UInt8] = [],
        id: String = "in-process", remoteAddress: String = "127.0.0.1", parameters: PathParameters = PathParameters(),
        route: String? = nil, arrival: ContinuousClock.Instant = .now, transport: Transport = []
    ) {
        self.init(
            method: method, target: target, path: RequestTarget.path(of: target) ?? target, headers: headers,
            body: RequestBody(body), id: id, remoteAddress: remoteAddress, parameters: parameters, route: route,
            arrival: arrival, transport: transport)
    }

    /// Makes the body expand as it is read, and removes `Content-Encoding` (RFC 9110 §8.4), so that the handler reads
    /// plain content.
    package mutating func decodeContent() {
        guard headers.contains("Content-Encoding") else { return }
        let codings = WeightedList("Content-Encoding", in: headers)?.elements.map(\.value) ?? []
        headers.remove("Content-Encoding")
        guard !codings.isEmpty else { return }
        body = body.decoded(from: codings.joined(separator: ", "))
    }

    /// The parameters of the query. They are parsed from the target at every call.
    package var query: QueryParameters {
        let bytes = target.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return QueryParameters() }
        return QueryParameters(parsing: target[bytes.index(after: mark)...].utf8)
    }
}
