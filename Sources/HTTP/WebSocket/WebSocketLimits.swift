/// The caps of a WebSocket.
package struct WebSocketLimits: Sendable, Hashable {
    /// For one message from the client, unpacked, in bytes.
    package var messageBytes: Int
    /// Messages to the client below this many bytes are not packed.
    package var compressionBytes: Int

    package init(messageBytes: Int = 16 << 20, compressionBytes: Int = 64) {
        self.messageBytes = messageBytes
        self.compressionBytes = compressionBytes
    }
}
