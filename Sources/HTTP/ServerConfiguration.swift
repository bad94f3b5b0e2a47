import Base

/// The addresses and limits of a ``Server``.
package struct ServerConfiguration: Sendable {
    /// A numeric IPv4 or IPv6 address or a host name; ignored when `unixSocketPath` is set.
    package var host = "127.0.0.1"
    /// 0–65535; 0 takes a free one.
    package var port = 0
    /// The path of a Unix domain socket to listen on instead.
    package var unixSocketPath: String?
    /// The mechanism by which event loops wait for events.
    package var eventLoop = EventLoopKind.epoll
    /// Number of event loops, 1–64.
    package var loops = 2
    /// The number of connections that the kernel queues before they are accepted.
    package var backlog = 1024
    /// The largest number of open connections. Further ones get 503 at once.
    package var maxConnections = 16384
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
    package var limits = ParserLimits.standard
    /// The largest memory, in bytes, for the bodies of all requests together. One client gets half of it. A body that
    /// does not fit is refused with 503.
    package var bodyMemory = 512 << 20
    package var timeouts = ConnectionTimeouts.standard
    /// The time that a shutdown waits for requests in flight.
    package var drainTimeout = Duration.seconds(10)
    /// The value of the `Server` field.
    package var serverName = "Menagerie"
    /// Fields that every response carries.
    package var fixedFields: HeaderFields = [:]
    /// Whether a client that ends its side during a handler's work gets `102 Processing` once, after
    /// ``halfClosedProbeDelay``. If the client is gone, the handler is cancelled. Without the probe only a reset shows
    /// that, and the handler of a client that merely closed works in vain.
    package var probesHalfClosedClients = true
    /// The time between the end of the client's side and the probe.
    package var halfClosedProbeDelay = Duration.milliseconds(250)

    package static let standard = ServerConfiguration()
}

extension ServerConfiguration {
    /// The place to listen at, for messages: host and port, or the path of the Unix socket.
    package var address: String { unixSocketPath ?? "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Whether a server that listens there is reachable from its own machine only.
    /// - Parameter host: an address, or a name; all addresses of the name count.
    /// - Throws: ``SystemCallError`` for a name that has no address.
    package static func isLoopback(_ host: String) throws(SystemCallError) -> Bool {
        try SocketAddress.resolve(host).allSatisfy {
            NetworkAddress(SocketAddress.host(of: $0))?.isLoopback ?? false
        }
    }
}

/// The times that a client may take.
package struct ConnectionTimeouts: Sendable, Hashable {
    /// The time for a whole head, from its first byte.
    package var header = Duration.seconds(10)
    /// The time for a body to begin, and between any two of its bytes. After that time they have to come at
    /// ``minimumRate``.
    package var body = Duration.seconds(30)
    /// The longest time between two requests.
    package var idle = Duration.seconds(60)
    /// The time for the client to begin to read an answer, and between any two of its bytes. After that time the client
    /// has to read at ``minimumRate``.
    package var write = Duration.seconds(30)
    /// The time for a client to close after the last answer.
    package var linger = Duration.seconds(2)
    /// The minimum rate, in bytes per second.
    package var minimumRate = 1024

    package static let standard = ConnectionTimeouts()
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
