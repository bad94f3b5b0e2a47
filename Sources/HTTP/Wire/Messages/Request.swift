package import ServiceContextModule

/// A request as a handler sees it.
package struct Request: Sendable {
    package var method: Method
    /// The request target as the client wrote it (RFC 9112 §3.2).
    package let target: String
    /// Percent-decoded and without dot segments; "%2F" stays as it is, so that every "/" separates segments. "*" for
    /// the asterisk-form.
    package let path: String
    package var headers: HeaderFields
    package var body: RequestBody
    /// The client's `X-Request-Id` where it is usable, otherwise a fresh one.
    package let id: String
    /// Of the client, as far as `ServerConfiguration.trustedProxies` vouch for it, otherwise of the connection. Without
    /// the port; empty for a Unix socket.
    package let remoteAddress: String
    /// Filled by the router.
    package var parameters: PathParameters
    /// The pattern that matched, for metrics.
    package var route: String?
    /// When the head had arrived.
    package let arrival: ContinuousClock.Instant
    package let transport: Transport
    /// What asynchronous handlers find as `ServiceContext.current`; nil where nothing follows the request.
    package var context: ServiceContext?

    /// How the request came.
    package struct Transport: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Over TLS that this server speaks itself.
        package static let tls = Transport(rawValue: 1)
        /// From a proxy that `ServerConfiguration.trustedProxies` names.
        package static let trustedPeer = Transport(rawValue: 2)
    }

    /// For tests and calls within the process.
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

    package init(
        method: Method, target: String, path: String, headers: HeaderFields, body: RequestBody, id: String,
        remoteAddress: String, parameters: PathParameters, route: String?, arrival: ContinuousClock.Instant,
        transport: Transport
    ) {
        self.method = method
        self.target = target
        self.path = path
        self.headers = headers
        self.body = body
        self.id = id
        self.remoteAddress = remoteAddress
        self.parameters = parameters
        self.route = route
        self.arrival = arrival
        self.transport = transport
    }

    /// Has the body read without its `Content-Encoding` (RFC 9110 §8.4), which the handler then does not see.
    package mutating func decodeContent() {
        guard headers.contains("Content-Encoding") else { return }
        let codings = WeightedList("Content-Encoding", in: headers)?.elements.map(\.value) ?? []
        headers.remove("Content-Encoding")
        guard !codings.isEmpty else { return }
        body = body.decoded(from: codings.joined(separator: ", "))
    }

    /// Read from the target each time it is asked for.
    package var query: QueryParameters {
        let bytes = target.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return QueryParameters() }
        return QueryParameters(parsing: target[bytes.index(after: mark)...].utf8)
    }
}
