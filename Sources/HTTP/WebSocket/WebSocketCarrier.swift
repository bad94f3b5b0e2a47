/// The connection below a WebSocket, as the WebSocket's handler reaches it from any task.
protocol WebSocketCarrier: AnyObject, Sendable {
    /// Has the session make a message, sends it, and resumes the continuation when there is room for more; with
    /// ``ConnectionLost`` when the WebSocket is closed or closing.
    /// - Parameter action: tells whether the session is still open; runs on the connection's loop.
    func sendOnWebSocket(
        _ action: @escaping @Sendable (WebSocketSession) -> Bool, _ continuation: CheckedContinuation<Void, any Error>)

    /// Begins the closing handshake.
    func endWebSocket(_ code: WebSocketCloseCode, reason: String)
}
