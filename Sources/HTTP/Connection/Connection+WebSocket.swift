/// A connection that was taken over by a WebSocket (RFC 6455).
extension Connection {
    /// Sends 101 and hands the connection over.
    func takeOver(by upgrade: WebSocketUpgrade, _ response: Response, _ request: Request) {
        write(response, .none, keepsAlive: true, isVersion10: false, id: request.id)
        record(request, status: response.status, bytesOut: 0)
        exchange = nil
        machine.upgraded()
        let inbox = InputQueue<WebSocketMessage> { [weak self, context] in
            context.loop.execute { [weak self] in self?.webSocketWanted() }
        }
        let transport = WebSocketTransport(
            session: upgrade.handshake.makeSession(serverLimits: context.webSocketLimits, defersClose: true),
            inbox: inbox, timeouts: context.webSocketTimeouts, now: context.loop.now)
        webSocket = transport
        let socket = WebSocket(
            inbox,
            send: { message, continuation in
                self.context.loop.execute { self.sendOnWebSocket(message, continuation) }
            },
            close: { code, reason in
                self.context.loop.execute { self.closeWebSocket(code, reason: reason) }
            })
        transport.task = Task { [context, responder = context.responder] in
            do {
                try await upgrade.serve(socket)
                context.loop.execute { self.handledWebSocket(.normal) }
            } catch {
                responder.reportFailure(ofWebSocket: error, request)
                context.loop.execute { self.handledWebSocket(.internalError) }
            }
        }
    }

    /// The reason why the connection cannot be taken over: HTTP/1.0 has no upgrade, the request is not read to its end
    /// (RFC 9110 §7.8), or the server stops.
    func upgradeRefusal(isVersion10: Bool) -> ProblemDetails? {
        if machine.canUpgrade, !isVersion10 { return nil }
        if context.isDraining {
            return ProblemDetails(.serviceUnavailable, detail: "The server stops.", headers: ["Retry-After": "1"])
        }
        return ProblemDetails(.badRequest, detail: "A WebSocket is opened by HTTP/1.1 and a request without a body.")
    }

    /// - Returns: the number of bytes used. The rest waits for the handler.
    func receiveWebSocket(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let webSocket else { return bytes.count }
        webSocket.received(now: context.loop.now)
        var input = [UInt8](bytes)[...]
        webSocket.session.receive(&input) { event in
            switch event {
            case .message(let message):
                if webSocket.inbox.push(message) { return true }
                webSocket.isPaused = true
                machine.pauseUpgraded()
                return false
            case .pong: break
            case .closed:
                webSocket.isOrderly = true
                webSocket.inbox.finish(.success(()))
                // The handler first answers the messages that came before the client's close, and then returns.
                if webSocket.session.isAnswering {
                    webSocket.closing(now: context.loop.now)
                    if webSocket.isHandled { webSocket.session.close() }
                }
            case .failed(let error):
                context.observer?.refused(.malformedWebSocket)
                webSocket.inbox.finish(.failure(error))
            }
            return true
        }
        takeWebSocketOutput(webSocket)
        return webSocket.session.isOver || webSocket.session.isAnswering ? bytes.count : bytes.count - input.count
    }

    /// Sends what the session has to say. The server is the side that ends the connection (RFC 6455 §7.1.1).
    private func takeWebSocketOutput(_ webSocket: WebSocketTransport) {
        output.append(webSocket.session.takeOutput(), context.pool)
        if webSocket.session.isOver { machine.answeredAndClosing() }
    }

    /// Reads on because the handler has taken every message.
    private func webSocketWanted() {
        guard let webSocket else { return }
        webSocket.isPaused = false
        machine.resumeUpgraded()
        pump()
    }

    private func sendOnWebSocket(_ message: WebSocketMessage, _ continuation: CheckedContinuation<Void, any Error>) {
        guard let webSocket, machine.isUpgraded, webSocket.session.send(message) else {
            continuation.resume(throwing: ConnectionLost())
            return
        }
        takeWebSocketOutput(webSocket)
        webSocket.senders.append(continuation)
        pump()
        if !output.isFull { self.webSocket?.resumeSenders() }
    }

    /// Closes the WebSocket when its handler has returned.
    private func handledWebSocket(_ code: WebSocketCloseCode) {
        webSocket?.isHandled = true
        closeWebSocket(code)
    }

    /// Begins the closing handshake, or answers the one that the client began.
    func closeWebSocket(_ code: WebSocketCloseCode, reason: String = "") {
        guard let webSocket, machine.isUpgraded, !webSocket.isClosing || webSocket.session.isAnswering else { return }
        webSocket.session.close(code, reason: reason)
        webSocket.closing(now: context.loop.now)
        webSocket.inbox.finish(.success(()))
        takeWebSocketOutput(webSocket)
        // The client's answer has to be read even if the handler left messages unread.
        webSocket.isPaused = false
        machine.resumeUpgraded()
        pump()
    }

    func webSocketDeadlinePassed() {
        guard let webSocket else { return }
        switch webSocket.expired(now: context.loop.now) {
        case .ping:
            webSocket.session.ping()
            takeWebSocketOutput(webSocket)
        case .close:
            webSocket.session.close()
            takeWebSocketOutput(webSocket)
            machine.answeredAndClosing()
        case .wait: break
        case .lose:
            context.observer?.refused(.timeout)
            lose()
        }
    }
}
