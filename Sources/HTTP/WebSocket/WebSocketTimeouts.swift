/// The times that the client of a WebSocket may take.
package struct WebSocketTimeouts: Sendable, Hashable {
    /// The silence after which a client is pinged. nil never pings, and so keeps clients that are gone.
    package var heartbeat: Duration?
    /// The time for a sign of life after that ping. Then the connection is dropped.
    package var pong: Duration
    /// The time for the client's close frame after ours. Then the connection closes without it (RFC 6455 §7.1.1).
    package var close: Duration

    package init(
        heartbeat: Duration? = .seconds(20), pong: Duration = .seconds(20), close: Duration = .seconds(5)
    ) {
        self.heartbeat = heartbeat
        self.pong = pong
        self.close = close
    }
}
