/// The addresses and limits of a ``Server``.
package struct ServerConfiguration: Sendable {
    /// A numeric IPv4 or IPv6 address or a host name; ignored when `unixSocketPath` is set.
    package var host: String
    /// 0–65535; 0 takes a free one.
    package var port: Int
    /// The path of a Unix domain socket to listen on instead.
    package var unixSocketPath: String?
    /// The mechanism by which event loops wait for events.
    package var eventLoop = EventLoopKind.epoll
    /// Number of event loops, 1–64.
    package var loops: Int
    /// The number of connections that the kernel queues before they are accepted.
    package var backlog: Int
    /// The largest number of open connections. Further ones get 503 at once.
    package var maxConnections: Int
    /// The number of requests after which a connection closes; nil sets no limit.
    package var maxRequestsPerConnection: Int?
    /// The proxies that are believed about the client's address.
    package var trustedProxies = TrustedProxies.none
    /// The size limits of a WebSocket on a route that sets none.
    package var webSocketLimits = WebSocketLimits()
    /// The timeouts of a WebSocket on a route that sets none.
    package var webSocketTimeouts = WebSocketTimeouts()
    /// Serves HTTPS; nil serves plain HTTP.
    package var tls: TLSConfiguration?
    package var limits: ParserLimits
    /// The largest memory, in bytes, for the bodies of all requests together. One client gets half of it. A body that
    /// does not fit is refused with 503.
    package var bodyMemory = 512 << 20
    package var timeouts: ConnectionTimeouts
    /// The time that a shutdown waits for requests in flight.
    package var drainTimeout: Duration
    /// The value of the `Server` field.
    package var serverName: String
    /// Fields that every response carries.
    package var fixedFields: HeaderFields = [:]
    /// Whether a client that ends its side during a handler's work gets `102 Processing` once, after
    /// ``halfClosedProbeDelay``. If the client is gone, the handler is cancelled. Without the probe only a reset shows
    /// that, and the handler of a client that merely closed works in vain.
    package var probesHalfClosedClients: Bool
    /// The time between the end of the client's side and the probe.
    package var halfClosedProbeDelay: Duration

    package init(
        host: String = "127.0.0.1", port: Int = 8080, unixSocketPath: String? = nil, loops: Int = 2,
        backlog: Int = 1024, maxConnections: Int = 16384, tls: TLSConfiguration? = nil,
        limits: ParserLimits = ParserLimits(), timeouts: ConnectionTimeouts = ConnectionTimeouts(),
        drainTimeout: Duration = .seconds(10),
        serverName: String = "Menagerie", probesHalfClosedClients: Bool = true,
        halfClosedProbeDelay: Duration = .milliseconds(250)
    ) {
        self.host = host
        self.port = port
        self.unixSocketPath = unixSocketPath
        self.loops = loops
        self.backlog = backlog
        self.maxConnections = maxConnections
        self.tls = tls
        self.limits = limits
        self.timeouts = timeouts
        self.drainTimeout = drainTimeout
        self.serverName = serverName
        self.probesHalfClosedClients = probesHalfClosedClients
        self.halfClosedProbeDelay = halfClosedProbeDelay
    }
}

extension ServerConfiguration {
    /// Whether a server that listens there is reachable from its own machine only.
    /// - Parameter host: an address, or a name; all addresses of the name count.
    /// - Throws: ``SystemCallError`` for a name that has no address.
    package static func isLoopback(_ host: String) throws(SystemCallError) -> Bool {
        try SocketAddress.resolve(host).allSatisfy { SocketAddress.isLoopback($0) }
    }
}

/// The times that a client may take.
package struct ConnectionTimeouts: Sendable, Hashable {
    /// The time for a whole head, from its first byte.
    package var header: Duration
    /// The time for a body to begin, and between any two of its bytes. After that time they have to come at
    /// ``minimumRate``.
    package var body: Duration
    /// The longest time between two requests.
    package var idle: Duration
    /// The time for the client to begin to read an answer, and between any two of its bytes. After that time the client
    /// has to read at ``minimumRate``.
    package var write: Duration
    /// The time for a client to close after the last answer.
    package var linger: Duration
    /// The minimum rate, in bytes per second.
    package var minimumRate: Int

    package init(
        header: Duration = .seconds(10), body: Duration = .seconds(30), idle: Duration = .seconds(60),
        write: Duration = .seconds(30), linger: Duration = .seconds(2), minimumRate: Int = 1024
    ) {
        self.header = header
        self.body = body
        self.idle = idle
        self.write = write
        self.linger = linger
        self.minimumRate = minimumRate
    }
}

/// An address on which a server listens.
package struct BoundAddress: Sendable, Hashable, CustomStringConvertible {
    /// A numeric address, or the path of a Unix socket.
    package let host: String
    /// 0 for a Unix socket.
    package let port: Int

    package var description: String {
        if port == 0 { return "unix:\(host)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
