/// The size limits of a WebSocket.
package struct WebSocketLimits: Sendable, Hashable {
    /// The largest message from the client, unpacked, in bytes.
    package var messageBytes: Int
    /// The smallest message to the client that is packed, in bytes.
    package var compressionBytes: Int

    package init(messageBytes: Int = 16 << 20, compressionBytes: Int = 64) {
        self.messageBytes = messageBytes
        self.compressionBytes = compressionBytes
    }
}

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
