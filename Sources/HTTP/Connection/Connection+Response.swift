import Glibc

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
        if case .stream = response.body { isWhole = isHead }
        var framing = response.body.length.map(ResponseFraming.length) ?? (isVersion10 ? .untilClose : .chunked)
        if response.status.forbidsContent { framing = .none }
        let keepsAlive = machine.startResponse(
            wantsClose: framing == .untilClose || response.headers.lists("close", in: "Connection"), isWhole: isWhole)
        write(response, framing, keepsAlive: keepsAlive, isVersion10: isVersion10, id: request.id)
        let sendsBody = !isHead && framing != .none
        if sendsBody, case .stream(_, let produce) = response.body {
            let exchange = Exchange(number: exchangeCount, request: request, isVersion10: isVersion10)
            exchange.status = response.status
            exchange.framing = framing
            exchange.channel = channel
            self.exchange = exchange
            stream(produce, exchange)
            return
        }
        channel?.finish(.failure(CancellationError()))
        let bytesOut = sendsBody ? response.body.length ?? 0 : 0
        if sendsBody { output.append(response.body, context.pool) }
        record(request, status: response.status, bytesOut: bytesOut)
        endResponse()
    }

    /// Sends an answer that no handler made, and closes the connection after it.
    func answerAndClose(_ problem: ProblemDetails) {
        let response = Response.problem(problem)
        write(
            response, .length(response.body.length ?? 0), keepsAlive: false, isVersion10: false,
            id: context.nextRequestID())
        output.append(response.body, context.pool)
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
        context.serializer.update(now: time(nil))
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
