/// Deadlines, draining and the ways in which a connection ends.
extension Connection {
    func deadlinePassed() {
        guard let kind = deadline.kind else { return }
        deadline.kind = nil
        switch kind {
        case .write, .handshake:
            context.observer?.refused(.timeout)
            lose()
            return
        case .upgraded: webSocketDeadlinePassed()
        case .probe: probe()
        case .timer(let timer): timedOut(timer)
        }
        pump()
    }

    private func timedOut(_ timer: ConnectionStateMachine.Timer) {
        switch machine.timedOut(timer) {
        case .close: closeWhenSent()
        case .answer:
            context.observer?.refused(.timeout)
            answerAndClose(ProblemDetails(.requestTimeout, detail: "The head of the request arrived too slowly."))
        case .failBody:
            context.observer?.refused(.timeout)
            failBody(RequestBodyError.tooSlow)
        case .none: break
        }
    }

    func drain() {
        machine.drain()
        if machine.isIdle { closeWhenSent() }
        closeWebSocket(.goingAway, reason: "The server stops.")
        pump()
    }

    /// Drops the connection at once: the client is gone or has to go, and nothing more is sent.
    func lose() {
        guard !machine.isClosed else { return }
        machine.close()
        context.loop.remove(descriptor)
        Socket.abort(descriptor)
        release()
    }

    func close() {
        guard !machine.isClosed else { return }
        machine.close()
        tls?.shutdown()
        context.loop.remove(descriptor)
        Socket.close(descriptor)
        release()
    }

    private func release() {
        output.clear(context.pool)
        if let input { context.pool.give(input) }
        input = nil
        if let pending { record(pending.request, status: Status(code: 499), bytesOut: 0) }
        pending = nil
        tls = nil
        Swift.exchange(&webSocket, with: nil)?.abandon(ConnectionLost())
        if let exchange = Swift.exchange(&exchange, with: nil) {
            record(exchange.request, status: exchange.status ?? Status(code: 499), bytesOut: exchange.bytesOut)
            exchange.abandon(ConnectionLost())
        }
        context.remove(descriptor)
    }

    func peerShut() {
        switch machine.peerShut() {
        case .close: closeWhenSent()
        case .failBody: failBody(RequestBodyError.cutOff)
        case .lose: lose()
        case .none: break
        }
    }

    /// Closes once everything written is sent.
    func closeWhenSent() {
        if machine.isLingering || (output.isEmpty && machine.isIdle) {
            close()
        } else {
            machine.answeredAndClosing()
        }
    }

    /// Whether a handler works for a client that has ended its side. The client may be gone altogether, which TCP tells
    /// only when something is sent.
    var isToBeProbed: Bool {
        guard isEndComing, context.probeDelay != nil, let exchange else { return false }
        return exchange.status == nil && !exchange.isVersion10 && !exchange.wasProbed
    }

    /// The delay counts from the end of the client's side, or from a later request. Read on the loop only.
    var probeTime: UInt64? {
        guard let exchange, let delay = context.probeDelay else { return nil }
        let time = exchange.probeTime ?? context.loop.now + delay
        exchange.probeTime = time
        return time
    }

    /// Sends an interim answer, which every HTTP/1.1 client has to skip (RFC 9110 §15.2). A client that is gone answers
    /// with a reset, and the reset cancels the handler.
    private func probe() {
        guard isToBeProbed else { return }
        exchange?.wasProbed = true
        output.append("HTTP/1.1 102 Processing\r\n\r\n", context.pool)
    }
}
