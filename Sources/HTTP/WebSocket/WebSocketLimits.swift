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
