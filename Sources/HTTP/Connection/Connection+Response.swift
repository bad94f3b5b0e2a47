extension Connection {
    /// Writes an answer, or as much of it as is there.
    /// - Parameter channel: the request's body, which a streaming answer may go on reading.
    func send(
        _ response: Response, to request: Request, isVersion10: Bool, channel: InputQueue<[UInt8]>? = nil
    ) {
        guard !machine.isClosed else { return }
        if case .webSocket(let upgrade) = response.body {
            if let refusal = upgradeRefusal(isVersion10: isVersion10) {
                send(.problem(refusal), to: request, isVersion10: isVersion10, channel: channel)
            } else {
                takeOver(by: upgrade, response, request)
            }
            return
        }
        let isHead = request.method == .head
        var isWhole = true
        var framing: ResponseFraming
        switch response.body {
        case .empty, .webSocket: framing = .length(0)
        case .bytes(let bytes): framing = .length(bytes.count)
        case .file(let region): framing = .length(region.length)
        case .parts(let parts): framing = .length(parts.reduce(0) { $0 + $1.count })
        case .stream(let length, _):
            isWhole = isHead
            framing = length.map(ResponseFraming.length) ?? (isVersion10 ? .untilClose : .chunked)
        }
        if response.status.forbidsContent { framing = .none }
        let keepsAlive = machine.startResponse(
            wantsClose: framing == .untilClose || response.wantsClose, isWhole: isWhole)
        write(response, framing, keepsAlive: keepsAlive, isVersion10: isVersion10, id: request.id)
        let sendsBody = !isHead && framing != .none
        var bytesOut = 0
        switch response.body {
        case .bytes(let bytes) where sendsBody:
            bytesOut = bytes.count
            output.append(bytes, context.pool)
        case .file(let region) where sendsBody:
            bytesOut = region.length
            output.append(region)
        case .parts(let parts) where sendsBody:
            bytesOut = parts.reduce(0) { $0 + $1.count }
            for part in parts {
                switch part {
                case .bytes(let bytes): output.append(bytes, context.pool)
                case .file(let region): output.append(region)
                }
            }
        case .stream(_, let produce) where sendsBody:
            let exchange = Exchange(number: exchangeCount, request: request, isVersion10: isVersion10)
            exchange.status = response.status
            exchange.framing = framing
            exchange.channel = channel
            self.exchange = exchange
            stream(produce, exchange)
            return
        default: channel?.finish(.failure(CancellationError()))
        }
        record(request, status: response.status, bytesOut: bytesOut)
        endResponse()
    }

    /// Sends an answer that no handler made, and closes the connection after it.
    func answerAndClose(_ problem: ProblemDetails) {
        let response = Response.problem(problem)
        var length = 0
        if case .bytes(let bytes) = response.body { length = bytes.count }
        write(response, .length(length), keepsAlive: false, isVersion10: false, id: context.nextRequestID())
        if case .bytes(let bytes) = response.body { output.append(bytes, context.pool) }
        machine.answeredAndClosing()
    }

    func record(_ request: Request, status: Status, bytesOut: Int) {
        guard let observer = context.observer else { return }
        observer.requestCompleted(
            RequestRecord(
                request, status: status, duration: request.arrival.duration(to: .now), bytesIn: bodyBytes,
                bytesOut: bytesOut))
    }

    func write(
        _ response: Response, _ framing: ResponseFraming, keepsAlive: Bool, isVersion10: Bool, id: String
    ) {
        context.serializer.update(now: context.loop.wallClock)
        output.append(context.pool) {
            context.serializer.writeHead(
                response, framing: framing, keepsAlive: keepsAlive, isVersion10: isVersion10, id: id, into: $0)
        }
    }

    private func endResponse() {
        machine.responseEnded()
        exchange?.channel?.finish(.failure(CancellationError()))
        exchange = nil
    }

    // MARK: Streaming

    private func stream(
        _ produce: @escaping @Sendable (ResponseBodyWriter) async throws -> Void, _ exchange: Exchange
    ) {
        let number = exchange.number
        exchange.task = Task { [context] in
            let writer = ResponseBodyWriter { bytes in
                if bytes.isEmpty { return }
                // Cancellation ends an answer that was given up even while its client does not read.
                try await withTaskCancellationHandler {
                    try await withCheckedThrowingContinuation { continuation in
                        context.loop.execute { self.writeBody(bytes, number, continuation) }
                    }
                } onCancel: {
                    context.loop.execute { self.giveUpStream(number) }
                }
            }
            let isComplete: Bool
            do {
                try await produce(writer)
                isComplete = true
            } catch {
                isComplete = false
            }
            context.loop.execute { self.endStream(number, isComplete: isComplete) }
        }
    }

    private func writeBody(_ bytes: [UInt8], _ number: UInt64, _ continuation: CheckedContinuation<Void, any Error>) {
        guard let exchange, exchange.number == number, !machine.isClosed, exchange.writer == nil, !exchange.isGivenUp
        else {
            continuation.resume(throwing: ConnectionLost())
            return
        }
        exchange.bytesOut += bytes.count
        switch exchange.framing {
        case .chunked:
            output.append(context.pool) { $0.append(bytes.count, radix: 16) }
            output.append("\r\n", context.pool)
            output.append(bytes, context.pool)
            output.append("\r\n", context.pool)
        case .length(let length) where exchange.bytesOut > length:
            // The client would read bytes beyond the announced length as the next answer.
            continuation.resume(throwing: ConnectionLost())
            lose()
            return
        default:
            output.append(bytes, context.pool)
        }
        exchange.writer = continuation
        pump()
        if let waiting = self.exchange?.writer, !output.isFull {
            self.exchange?.writer = nil
            waiting.resume()
        }
    }

    private func giveUpStream(_ number: UInt64) {
        guard let exchange, exchange.number == number else { return }
        exchange.isGivenUp = true
        let waiting = exchange.writer
        exchange.writer = nil
        waiting?.resume(throwing: ConnectionLost())
    }

    private func endStream(_ number: UInt64, isComplete: Bool) {
        guard let exchange, exchange.number == number, !machine.isClosed else { return }
        if case .length(let length) = exchange.framing, length != exchange.bytesOut {
            lose()
            return
        }
        guard isComplete else {
            // Without the last chunk the client sees that the answer is cut off.
            lose()
            return
        }
        if exchange.framing == .chunked { output.append("0\r\n\r\n", context.pool) }
        record(exchange.request, status: exchange.status ?? .ok, bytesOut: exchange.bytesOut)
        endResponse()
        pump()
    }
}

extension Response {
    /// Whether the handler asks for the connection to be closed.
    fileprivate var wantsClose: Bool {
        headers["Connection"]?.lowercased() == "close"
    }
}
