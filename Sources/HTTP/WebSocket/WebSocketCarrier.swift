/// The connection below a WebSocket. The WebSocket's handler uses it from any task.
protocol WebSocketCarrier: AnyObject, Sendable {
    /// Lets the session make a message, sends it, and resumes the continuation when there is room for more. The
    /// continuation gets ``ConnectionLost`` if the WebSocket is closed or closing.
    /// - Parameter action: returns whether the session is still open; runs on the connection's loop.
    func sendOnWebSocket(
        _ action: @escaping @Sendable (WebSocketSession) -> Bool, _ continuation: CheckedContinuation<Void, any Error>)

    /// Begins the closing handshake.
    func endWebSocket(_ code: WebSocketCloseCode, reason: String)
}
