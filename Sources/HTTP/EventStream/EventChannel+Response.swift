extension EventChannel {
    /// The channel as a response. A client that comes back first gets what it missed after its Last-Event-ID, and a new
    /// client gets the whole buffer. Then events follow as they come.
    ///
    /// When the channel is finished and the client has everything, the answer is 204, which tells it not to come back
    /// (WHATWG HTML §9.2.3).
    /// - Parameters:
    ///   - heartbeat: the time without an event after which a comment is sent.
    ///   - retry: the time that the client should wait before it connects again, in milliseconds.
    package func response(
        to request: Request, heartbeat: Duration = .seconds(15), retry: Int? = nil
    ) -> Response {
        let start = position(after: request.headers["Last-Event-ID"])
        if isOver(at: start), request.headers.contains("Last-Event-ID") { return Response(status: .noContent) }
        let headers: HeaderFields = [
            "Content-Type": MediaType.eventStream.description, "Cache-Control": "no-store",
            // Some reverse proxies collect a response unless told not to.
            "X-Accel-Buffering": "no",
        ]
        let body = ResponseBody.stream(length: nil) { writer in
            // The client sees at once that it is connected. This block dispatches no event.
            try await writer.write(ServerSentEvent(retry: retry).serialized())
            try await self.send(to: writer, from: start, heartbeat: heartbeat)
        }
        return Response(headers: headers, body: body)
    }

    private func send(to writer: ResponseBodyWriter, from start: Int, heartbeat: Duration) async throws {
        let subscriber = addSubscriber()
        let heart = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: heartbeat)
                beat(subscriber)
            }
        }
        defer {
            heart.cancel()
            removeSubscriber(subscriber)
        }
        var position = start
        while true {
            switch await next(subscriber, at: position) {
            case .event(let bytes, let found):
                try await writer.write(bytes)
                position = found + 1
            case .heartbeat:
                try await writer.write(ServerSentEvent.comment())
            case .end:
                return
            }
        }
    }
}
