/// A WebSocket that takes a connection over after `101 Switching Protocols` (RFC 9110 §7.8).
package struct WebSocketUpgrade: Sendable {
    let handshake: WebSocketHandshake
    let serve: @Sendable (WebSocket) async throws -> Void
}

extension Response {
    /// Accepts a WebSocket.
    /// - Parameters:
    ///   - limits: nil takes those of the ``ServerConfiguration``.
    ///   - serve: speaks with the client. The WebSocket is closed when it returns.
    /// - Throws: ``WebSocketHandshake/Failure``, which is its own answer, if the request does not open a WebSocket.
    package static func webSocket(
        _ request: Request, limits: WebSocketLimits? = nil,
        _ serve: @escaping @Sendable (WebSocket) async throws -> Void
    ) throws(WebSocketHandshake.Failure) -> Response {
        let handshake = try WebSocketHandshake(request, limits: limits)
        var response = handshake.response
        response.body = .webSocket(WebSocketUpgrade(handshake: handshake, serve: serve))
        return response
    }
}

extension Response {
    /// Wraps the code that streams a body or speaks on a WebSocket. Other bodies stay as they are.
    /// - Parameter around: runs the stream that it is given. An error that it throws ends the connection. `close` tells
    ///   the client of a WebSocket that it may not go on (1008). A streamed body cannot say that.
    package mutating func surroundStream(
        _ around:
            @escaping @Sendable (
                _ stream: @escaping @Sendable () async throws -> Void, _ close: @escaping @Sendable () -> Void
            ) async throws -> Void
    ) {
        switch body {
        case .stream(let length, let produce):
            body = .stream(length: length) { writer in
                try await around({ try await produce(writer) }, {})
            }
        case .webSocket(let upgrade):
            body = .webSocket(
                WebSocketUpgrade(handshake: upgrade.handshake) { socket in
                    try await around({ try await upgrade.serve(socket) }, { socket.close(.policyViolation) })
                })
        case .empty, .bytes, .file, .parts: break
        }
    }

    /// Whether the body goes on after its head for as long as its handler likes.
    package var isStream: Bool {
        switch body {
        case .stream, .webSocket: true
        case .empty, .bytes, .file, .parts: false
        }
    }
}
