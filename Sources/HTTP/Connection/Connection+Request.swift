extension Connection {
    /// Bodies up to this many bytes are awaited before a handler on the loop runs.
    private static let gatherLimit = 64 * 1024

    /// Begins a request when its head has arrived.
    func begin(_ head: RequestHead) {
        turnCount += 1
        bodyBytes = 0
        var request = Request(
            method: head.method, target: head.target, path: head.path, headers: head.fields, body: RequestBody(),
            id: head.requestID ?? context.nextRequestID(),
            remoteAddress: context.trustedProxies.client(peer: remoteAddress, headers: head.fields),
            parameters: PathParameters(), route: nil, arrival: .now, transport: transport)
        let (matched, bodyLimit) = context.responder.match(&request)
        var (handler, isTooLarge) = (matched, false)
        do {
            try parser.limitBody(to: bodyLimit ?? context.limits.body)
        } catch {
            // The middleware has to see this refusal, or pages of other origins could not read it.
            handler = .inline { _ in throw error }
            isTooLarge = true
        }
        let isLast = exchangeCount + 1 >= context.requestsPerConnection
        machine.receivedHead(
            framing: head.framing, keepsAlive: head.keepsAlive && !isLast, expectsContinue: head.expectsContinue)
        if handler?.isAsynchronous == true {
            dispatch(&request, handler, head)
            return
        }
        // A small body is read first, so that a malformed one is refused and none of its bytes are left over.
        let waits =
            switch head.framing {
            case _ where isTooLarge: false
            case .none: false
            case .length(let length): length <= Self.gatherLimit && !head.expectsContinue
            case .chunked: !head.expectsContinue
            }
        if waits {
            pending = PendingRequest(request: request, handler: handler, isVersion10: head.isVersion10)
        } else {
            dispatch(&request, handler, head)
        }
    }

    /// Takes bytes of the body that have arrived.
    /// - Parameter chunk: makes them a chunk of their own.
    func receive(_ count: Int, chunk: () -> [UInt8]) {
        deadline.progress += UInt64(count)
        bodyBytes += count
        switch machine.receivedBody(count) {
        case .close: closeWhenSent()
        case .discard: break
        case .deliver:
            if var pending {
                guard bodyBytes > Self.gatherLimit else { break }
                self.pending = nil
                run(&pending.request, pending.handler, isVersion10: pending.isVersion10)
            } else if let channel = exchange?.channel, !channel.push(chunk()) {
                machine.pauseBody()
            }
        }
    }

    func endRequest() {
        if machine.requestEnded() { return }
        if var pending {
            self.pending = nil
            run(&pending.request, pending.handler, isVersion10: pending.isVersion10)
        } else {
            exchange?.channel?.finish(.success(()))
        }
    }

    /// Answers a request that the parser refuses.
    func fail(_ error: ParserError) {
        context.observer?.refused(.malformedRequest)
        if machine.isServing {
            failBody(error)
        } else {
            answerAndClose(error.problem)
        }
    }

    /// Tells the reader of the body that the rest will not come. A request that waited for its body is answered now.
    func failBody(_ error: any ProblemConvertible) {
        guard machine.requestFailed() else { return closeWhenSent() }
        if var pending {
            self.pending = nil
            run(&pending.request, .inline { _ in throw error }, isVersion10: pending.isVersion10)
        } else {
            exchange?.channel?.finish(.failure(error))
        }
    }

    // MARK: Handlers

    // A request holds a dozen references. Handing it on in place saves counting them for a copy.
    private func dispatch(_ request: inout Request, _ handler: Handler?, _ head: RequestHead) {
        var channel: InputQueue<[UInt8]>?
        if handler?.isAsynchronous == true, head.framing != .none {
            let number = exchangeCount + 1
            let allowance = context.bodies.allowance(for: request.remoteAddress)
            let new = InputQueue<[UInt8]>(tellsFirstRead: head.expectsContinue, allowance: allowance) {
                [weak self, context] in
                context.loop.execute { [weak self] in self?.bodyWanted(number) }
            }
            channel = new
            var length: Int?
            if case .length(let announced) = head.framing { length = announced }
            request.body = RequestBody(.channel(new), contentLength: length, allowance: allowance)
        }
        run(&request, handler, isVersion10: head.isVersion10, channel: channel)
    }

    private func run(
        _ request: inout Request, _ handler: Handler?, isVersion10: Bool, channel: InputQueue<[UInt8]>? = nil
    ) {
        exchangeCount += 1
        switch context.responder.begin(&request, handler) {
        case .response(let response):
            channel?.finish(.failure(CancellationError()))
            send(response, to: request, isVersion10: isVersion10)
        case .asynchronous(let handler):
            let exchange = Exchange(number: exchangeCount, request: request, isVersion10: isVersion10)
            exchange.channel = channel
            exchange.handler = handler
            self.exchange = exchange
        }
    }

    /// Starts the handler of a request that came in this turn. All of the body that is there has been read by now, so
    /// the handler need not be woken for it again.
    func startHandler(_ exchange: Exchange) {
        guard let handler = exchange.handler else { return }
        exchange.handler = nil
        let (request, number) = (exchange.request, exchange.number)
        exchange.task = Task { [context, responder = context.responder] in
            let response = await responder.finish(request, handler)
            context.loop.execute { self.completed(response, number) }
        }
    }

    /// Sends the answer of an asynchronous handler.
    private func completed(_ response: Response, _ number: UInt64) {
        guard let exchange, exchange.number == number, exchange.status == nil else { return }
        exchange.task = nil
        if case .stream = response.body {
            // A streaming answer may go on reading the request.
        } else {
            exchange.channel?.finish(.failure(CancellationError()))
        }
        self.exchange = nil
        send(response, to: exchange.request, isVersion10: exchange.isVersion10, channel: exchange.channel)
        pump()
    }

    /// Reads on because the handler wants more of the body.
    private func bodyWanted(_ number: UInt64) {
        guard let exchange, exchange.number == number, !machine.isClosed else { return }
        if machine.resumeBody() { output.append("HTTP/1.1 100 Continue\r\n\r\n", context.pool) }
        pump()
    }
}
