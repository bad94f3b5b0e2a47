extension Router {
    /// Registers a WebSocket under GET.
    /// - Parameter serve: speaks with one client. The WebSocket is closed when it returns.
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
