package import HTTPWire

/// A WebSocket that takes a connection over.
package struct WebSocketUpgrade: ProtocolUpgrade {
    let handshake: WebSocketHandshake
    let serve: @Sendable (WebSocket) async throws -> Void
}

extension Response {
    /// Accepts a WebSocket.
    /// - Parameter serve: speaks with the client; the WebSocket is closed when it returns.
    /// - Throws: ``WebSocketHandshake/Failure`` when the request opens none, which is its own answer.
    package static func webSocket(
        _ request: Request, options: WebSocketOptions = WebSocketOptions(),
        _ serve: @escaping @Sendable (WebSocket) async throws -> Void
    ) throws(WebSocketHandshake.Failure) -> Response {
        let handshake = try WebSocketHandshake(request, options: options)
        var response = handshake.response
        response.body = .upgrade(WebSocketUpgrade(handshake: handshake, serve: serve))
        return response
    }
}
