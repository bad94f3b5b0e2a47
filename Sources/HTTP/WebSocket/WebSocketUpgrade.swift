/// What takes a connection over after `101 Switching Protocols` (RFC 9110 §7.8).
package struct WebSocketUpgrade: Sendable {
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
        response.body = .webSocket(WebSocketUpgrade(handshake: handshake, serve: serve))
        return response
    }
}

extension Router {
    /// Registers a WebSocket under GET.
    /// - Parameter serve: speaks with each client; a WebSocket is closed when it returns.
    package mutating func webSocket(
        _ pattern: String, options: WebSocketOptions = WebSocketOptions(),
        _ serve: @escaping @Sendable (Request, WebSocket) async throws -> Void
    ) {
        get(
            pattern,
            .inline { request in
                try .webSocket(request, options: options) { socket in try await serve(request, socket) }
            })
    }
}
