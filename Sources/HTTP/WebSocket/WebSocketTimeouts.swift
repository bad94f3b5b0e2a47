/// How long the client of a WebSocket may take.
package struct WebSocketTimeouts: Sendable, Hashable {
    /// A client that sent nothing for this long is pinged; nil never pings, and keeps those that are gone.
    package var heartbeat: Duration?
    /// For a sign of life after that ping, before the connection is dropped.
    package var pong: Duration
    /// For the client's close frame after ours, before the connection is closed without it (RFC 6455 §7.1.1).
    package var close: Duration

    package init(
        heartbeat: Duration? = .seconds(20), pong: Duration = .seconds(20), close: Duration = .seconds(5)
    ) {
        self.heartbeat = heartbeat
        self.pong = pong
        self.close = close
    }
}
