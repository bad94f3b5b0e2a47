/// An open WebSocket, as a route's handler uses it. Any task may use it, but only one may read messages.
///
/// Without the handler's help, pings are answered, idle clients are pinged, and clients that no longer answer are
/// dropped. The WebSocket is closed with 1000 when the handler returns, and with 1011 when it throws. The handler's
/// task is cancelled when the client leaves without closing. After an orderly end the task is cancelled only if it
/// never read ``messages``, which would have told it.
package final class WebSocket: Sendable {
    private let inbox: InputQueue<WebSocketMessage>
    private let sendOnLoop: @Sendable (WebSocketMessage, CheckedContinuation<Void, any Error>) -> Void
    private let closeOnLoop: @Sendable (WebSocketCloseCode, _ reason: String) -> Void

    /// - Parameters:
    ///   - send: sends the message on the connection's loop, and resumes the continuation when there is room for more.
    ///   The continuation gets ``ConnectionLost`` if the WebSocket is closed or closing.
    ///   - close: begins the closing handshake on the connection's loop.
    init(
        _ inbox: InputQueue<WebSocketMessage>,
        send: @escaping @Sendable (WebSocketMessage, CheckedContinuation<Void, any Error>) -> Void,
        close: @escaping @Sendable (WebSocketCloseCode, _ reason: String) -> Void
    ) {
        self.inbox = inbox
        sendOnLoop = send
        closeOnLoop = close
    }

    /// The messages of the client. The socket is read only a few messages ahead. The sequence ends when either side
    /// closes. It throws ``WebSocketError`` when the client breaks the protocol, and `ConnectionLost` when the client
    /// leaves without closing.
    package var messages: some AsyncSequence<WebSocketMessage, any Error> & Sendable { inbox }

    /// Sends a message, and returns when the connection has room for more.
    /// - Throws: `ConnectionLost` when the WebSocket is closed or closing.
    package func send(_ message: WebSocketMessage) async throws {
        try await withCheckedThrowingContinuation { sendOnLoop(message, $0) }
    }

    package func send(_ text: String) async throws {
        try await send(.text(text))
    }

    /// Begins the closing handshake (RFC 6455 §7.1.2). ``messages`` ends, and later messages are dropped.
    package func close(_ code: WebSocketCloseCode = .normal, reason: String = "") {
        closeOnLoop(code, reason)
    }
}
