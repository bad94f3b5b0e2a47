/// How a ``Server`` listens and what it allows.
package struct ServerConfiguration: Sendable {
    /// A numeric IPv4 or IPv6 address or a host name; ignored when `unixSocketPath` is set.
    package var host: String
    /// 0–65535; 0 takes a free one.
    package var port: Int
    /// Listens on a Unix domain socket instead.
    package var unixSocketPath: String?
    /// What event loops wait for events with.
    package var eventLoop = EventLoopKind.epoll
    /// Number of event loops, 1–64.
    package var loops: Int
    /// Connections that the kernel keeps before they are accepted.
    package var backlog: Int
    /// Open connections; further ones get 503 at once.
    package var maxConnections: Int
    /// Requests after which a connection closes; nil for any number.
    package var maxRequestsPerConnection: Int?
    /// Whose word on the client's address is taken.
    package var trustedProxies = TrustedProxies.none
    /// What a WebSocket may send, unless its route sets limits of its own.
    package var webSocketLimits = WebSocketLimits()
    /// How long the client of a WebSocket may be silent, unless its route sets timeouts of its own.
    package var webSocketTimeouts = WebSocketTimeouts()
    /// Serves HTTPS; nil serves plain HTTP.
    package var tls: TLSConfiguration?
    package var limits: ParserLimits
    /// Bytes that the bodies of all requests may take in memory together; one client gets half of it. A body that does
    /// not fit is refused with 503.
    package var bodyMemory = 512 << 20
    package var timeouts: ConnectionTimeouts
    /// How long a shutdown waits for requests in flight.
    package var drainTimeout: Duration
    /// The value of the `Server` field.
    package var serverName: String
    /// Fields that every response carries.
    package var fixedFields: HeaderFields = [:]
    /// Whether a client that has ended its side while a handler works for it is sent `102 Processing`, once, after
    /// ``halfClosedProbeDelay``: if it has gone altogether, the handler is cancelled. Without it only a reset tells, and a
    /// client that merely closed is worked for in vain.
    package var probesHalfClosedClients: Bool
    /// How long a handler has to have worked since the client ended its side.
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
    /// Whether a server that listens there can be reached from its own machine only.
    /// - Parameter host: an address, or a name, all of whose addresses count.
    /// - Throws: ``SystemCallError`` for a name that has no address.
    package static func isLoopback(_ host: String) throws(SystemCallError) -> Bool {
        try SocketAddress.resolve(host).allSatisfy { SocketAddress.isLoopback($0) }
    }
}

/// How long a client may take.
package struct ConnectionTimeouts: Sendable, Hashable {
    /// For a whole head, from its first byte: however slowly it drips in.
    package var header: Duration
    /// For a body to begin, and between any two of its bytes; beyond it, they have to come at ``minimumRate``.
    package var body: Duration
    /// Between requests.
    package var idle: Duration
    /// For an answer to begin to be taken, and between any two of its bytes; beyond it, they have to be taken at
    /// ``minimumRate``.
    package var write: Duration
    /// For a client to close after the last answer.
    package var linger: Duration
    /// Bytes per second.
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

/// Where a server listens.
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
