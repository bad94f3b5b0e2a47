import Glibc

/// A client's connection. It performs on its loop what the ``ConnectionStateMachine`` says.
///
/// `@unchecked Sendable`: all state is touched on the loop only; tasks come in through `loop.execute`.
final class Connection: ReadinessHandler, @unchecked Sendable {
    /// The limit keeps a client that sends without end from holding the loop.
    private static let readsPerTurn = 16

    let context: LoopContext
    let descriptor: CInt
    let remoteAddress: String
    let transport: Request.Transport
    /// Nil for plain HTTP.
    var tls: TLSSession?
    // Unchecked: one thread uses these three, and none of their mutating methods calls back here. The run-time checks
    // were a tenth of the instructions of a request.
    @exclusivity(unchecked) var machine = ConnectionStateMachine()
    @exclusivity(unchecked) var parser: RequestParser
    @exclusivity(unchecked) var output = OutputQueue()
    @exclusivity(unchecked) var deadline = ConnectionDeadline()
    /// Bytes that were read but not parsed yet. The buffer is held only while it has content.
    var input: ByteBuffer?
    /// Whether the socket may have more to read.
    var isUnread = true
    /// Whether the loop has reported the end of the stream. It does so once, so everything has to be read.
    private(set) var isEndComing = false
    private var isPumping = false
    private var isPumpAwaited = false
    var exchange: Exchange?
    /// The request whose small body has to come before its handler runs on the loop.
    var pending: PendingRequest?
    /// The WebSocket that has taken the connection over.
    var webSocket: WebSocketTransport?
    var exchangeCount: UInt64 = 0
    var bodyBytes = 0
    /// The number of requests begun in this turn.
    var turnCount = 0
    private var readCount = 0

    init(context: LoopContext, descriptor: CInt, remoteAddress: String) {
        self.context = context
        self.descriptor = descriptor
        self.remoteAddress = remoteAddress
        var transport: Request.Transport = context.certificates == nil ? [] : .tls
        if context.trustedProxies.isTrusted(remoteAddress) { transport.insert(.trustedPeer) }
        self.transport = transport
        parser = RequestParser(limits: context.limits)
    }

    /// Registers with the loop and serves what is there. Call it on the loop.
    /// - Parameter isTooMany: whether to answer 503 and close. Under TLS it only closes, since an answer would cost a
    ///   handshake.
    func open(isTooMany: Bool) {
        // The flag is read here and not in `init`, which runs on the listener's loop. A drain between the two did not
        // find this connection among those of its loop.
        if context.isDraining { machine.drain() }
        do {
            if let certificates = context.certificates {
                if isTooMany { throw SystemCallError(call: "accept", code: EBUSY) }
                tls = certificates.current.makeSession(descriptor)
                if tls == nil { throw SystemCallError(call: "SSL_new", code: ENOMEM) }
            }
            try context.loop.register(descriptor, self)
            context.add(self, descriptor)
        } catch {
            context.connectionCount.remove()
            Socket.close(descriptor)
            return
        }
        if isTooMany {
            answerAndClose(
                ProblemDetails(
                    .serviceUnavailable, detail: "There are too many connections.", headers: ["Retry-After": "1"]))
        }
        pump()
    }

    // MARK: Events

    func ready(_ readiness: Readiness) {
        // If our side is still open, the peer has closed its socket. If we have ended our side, the peer may have ended
        // only its own and may still be reading the answer, which a reset would destroy (RFC 9112 §9.6).
        if readiness.contains(.lost) || readiness.contains(.ended) && !machine.isLingering {
            lose()
            return
        }
        if readiness.contains(.readable) || tls?.readWaitsForRoom == true { isUnread = true }
        if !readiness.isDisjoint(with: [.peerShut, .ended]) {
            isUnread = true
            isEndComing = true
        }
        pump()
    }

    // MARK: Work

    /// Parses, reads and writes until nothing can go on.
    func pump() {
        if isPumping { return }
        isPumping = true
        turnCount = 0
        readCount = 0
        repeat {
            step()
        } while flush()
        isPumping = false
        if let exchange {
            startHandler(exchange)
            exchange.channel?.deliver()
        }
        webSocket?.inbox.deliver()
        if machine.isClosed { return }
        updateDeadline()
    }

    /// Goes on when other connections have had their turn.
    func pumpLater() {
        if isPumpAwaited { return }
        isPumpAwaited = true
        context.loop.execute {
            self.isPumpAwaited = false
            self.pump()
        }
    }

    private func step() {
        if let tls, tls.isHandshaking, !handshake(tls) { return }
        while !machine.isClosed, machine.wantsInput, !output.isFull {
            if let buffer = input {
                buffer.drop(process(buffer.readable))
                if buffer.isEmpty {
                    input = nil
                    context.pool.give(buffer)
                }
                // The rest needs more bytes, room, an answer or the next turn.
                guard machine.wantsInput, !output.isFull, !isTurnOver else { return }
            } else if parser.hasPendingEnd {
                // The reader of the body lagged behind when its last bytes came.
                _ = process(UnsafeRawBufferPointer(start: nil, count: 0))
                guard machine.wantsInput, !output.isFull, !isTurnOver else { return }
            }
            guard isUnread else { return }
            guard readCount < Self.readsPerTurn else {
                pumpLater()
                return
            }
            readCount += 1
            if !receiveBody() { read() }
        }
    }

    var isTurnOver: Bool { turnCount >= context.limits.pipelinedRequests }

    /// - Returns: whether sending made room for more work.
    private func flush() -> Bool {
        if machine.isClosed || tls?.isHandshaking == true { return false }
        if !output.isEmpty {
            let wasFull = output.isFull
            var sent = 0
            let result = output.flush(descriptor, tls, context.pool, sent: &sent)
            if sent > 0 {
                context.observer?.bytesSent(sent)
                deadline.progress += UInt64(sent)
            }
            switch result {
            case .failed:
                lose()
                return false
            case .blocked:
                resumeWriter()
                return false
            case .unfinished:
                resumeWriter()
                pumpLater()
                return false
            case .done:
                resumeWriter()
                if !machine.isClosing { return wasFull && machine.wantsInput }
            }
        }
        guard machine.isClosing, output.isEmpty else { return false }
        guard machine.flushedWhileClosing() else {
            close()
            return false
        }
        tls?.shutdown()
        Socket.shutdownWriting(descriptor)
        // Bytes that were read and not parsed are of no use now.
        if let input { context.pool.give(input) }
        input = nil
        return isUnread
    }

    /// Resumes a streaming answer when there is room.
    private func resumeWriter() {
        if output.isFull { return }
        webSocket?.resumeSenders()
        guard let exchange, let writer = exchange.writer else { return }
        exchange.writer = nil
        writer.resume()
    }

    /// The event that the connection waits for.
    private var deadlineKind: ConnectionDeadline.Kind? {
        if tls?.isHandshaking == true { return .handshake }
        if !output.isEmpty { return .write }
        if machine.isUpgraded { return .upgraded }
        if let timer = machine.timer { return .timer(timer) }
        return isToBeProbed ? .probe : nil
    }

    private func updateDeadline() {
        let kind = deadlineKind
        let fixed = kind == .probe ? probeTime : webSocket?.deadline
        let changed = deadline.update(
            kind, fixed: fixed, epoch: exchangeCount, now: context.loop.now,
            timeouts: context.timeouts)
        if changed { context.loop.setDeadline(deadline.time, for: descriptor) }
    }
}
