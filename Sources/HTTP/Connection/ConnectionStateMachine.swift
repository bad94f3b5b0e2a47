/// The life of a connection (RFC 9112 §9). Events go in, and actions come out. It has no I/O and no clock.
///
/// One request is served at a time. Pipelined requests wait in the input, so answers leave in order (§9.3.2).
struct ConnectionStateMachine: Sendable {
    private enum State: Hashable {
        /// Between requests.
        case idle
        /// Part of a head has arrived.
        case head
        case exchange(Exchange)
        /// Another protocol has taken the connection over (RFC 9110 §7.8).
        case upgraded(isPaused: Bool)
        /// The last answer is written. When it is sent, the writing side ends.
        case closing
        /// The writing side has ended. What the client still sends is read and dropped, so that no reset destroys the
        /// answer on its way (§9.6).
        case lingering
        case closed
    }

    /// The largest rest of an unwanted body, in bytes, that is read and dropped to keep a connection alive.
    static let discardLimit = 256 * 1024

    private var state = State.idle
    private var isDraining = false
    private(set) var peerHasShut = false

    // MARK: Questions

    /// Whether bytes should be read. A lingering connection reads them to drop them.
    var wantsInput: Bool {
        switch state {
        case .idle, .head, .lingering: true
        case .exchange(let exchange):
            switch exchange.request {
            case .receiving, .discarding: true
            case .paused, .complete, .failed: false
            }
        case .upgraded(let isPaused): !isPaused
        case .closing, .closed: false
        }
    }

    var timer: Timer? {
        switch state {
        case .idle: .idle
        case .head: .header
        case .lingering: .linger
        case .exchange(let exchange):
            switch exchange.request {
            case .receiving where !exchange.awaitsContinue, .discarding: .body
            case .receiving, .paused, .complete, .failed: nil
            }
        case .upgraded, .closing, .closed: nil
        }
    }

    var isIdle: Bool { state == .idle }
    var isUpgraded: Bool {
        if case .upgraded = state { true } else { false }
    }
    /// Whether the request is read to its end, so that the bytes that follow may belong to another protocol.
    var canUpgrade: Bool {
        guard case .exchange(let exchange) = state else { return false }
        return exchange.request == .complete && exchange.response == .pending && !isDraining
    }
    var isClosing: Bool { state == .closing }
    var isLingering: Bool { state == .lingering }
    var isClosed: Bool { state == .closed }

    var isServing: Bool {
        if case .exchange = state { true } else { false }
    }

    // MARK: The request

    mutating func receivedPartOfHead() {
        if case .idle = state { state = .head }
    }

    /// - Precondition: between requests, or within a head.
    mutating func receivedHead(framing: BodyFraming, keepsAlive: Bool, expectsContinue: Bool) {
        switch state {
        case .idle, .head: break
        case .exchange, .upgraded, .closing, .lingering, .closed: return illegal("a head")
        }
        let request: RequestState =
            switch framing {
            case .none: .complete
            case .length(let length): .receiving(left: length)
            case .chunked: .receiving(left: nil)
            }
        state = .exchange(Exchange(request: request, keepsAlive: keepsAlive, awaitsContinue: expectsContinue))
    }

    mutating func receivedBody(_ count: Int) -> BodyAction {
        guard case .exchange(var exchange) = state else { return .discard }
        defer { state = .exchange(exchange) }
        exchange.awaitsContinue = false
        switch exchange.request {
        case .receiving(let left):
            exchange.request = .receiving(left: left.map { $0 - count })
            return .deliver
        case .paused(let left):
            exchange.request = .paused(left: left.map { $0 - count })
            return .deliver
        case .discarding(let allowance):
            exchange.request = .discarding(allowance: allowance - count)
            return allowance >= count ? .discard : .close
        case .complete, .failed: return .discard
        }
    }

    /// Stops reading because the body's reader lags behind.
    mutating func pauseBody() {
        guard case .exchange(var exchange) = state, case .receiving(let left) = exchange.request else { return }
        exchange.request = .paused(left: left)
        state = .exchange(exchange)
    }

    /// Reads on because the body's reader wants more.
    /// - Returns: whether `100 Continue` has to be sent (RFC 9110 §10.1.1).
    mutating func resumeBody() -> Bool {
        guard case .exchange(var exchange) = state else { return false }
        if case .paused(let left) = exchange.request { exchange.request = .receiving(left: left) }
        let sendsContinue = exchange.awaitsContinue && exchange.response == .pending
        exchange.awaitsContinue = false
        state = .exchange(exchange)
        return sendsContinue
    }

    /// Notes that the last byte of the request has arrived.
    /// - Returns: whether the request was answered before, so that nobody waits for its end.
    mutating func requestEnded() -> Bool {
        guard case .exchange(var exchange) = state else { return false }
        if case .discarding = exchange.request {
            end(exchange.keepsAlive)
            return true
        }
        exchange.request = .complete
        exchange.awaitsContinue = false
        state = .exchange(exchange)
        return false
    }

    /// Notes a malformed body, after which no request can follow.
    /// - Returns: false when no answer is on its way, so that the connection closes.
    mutating func requestFailed() -> Bool {
        guard case .exchange(var exchange) = state else { return false }
        if case .discarding = exchange.request { return false }
        exchange.request = .failed
        exchange.keepsAlive = false
        exchange.awaitsContinue = false
        state = .exchange(exchange)
        return true
    }

    // MARK: The response

    /// - Parameters:
    ///   - wantsClose: whether the handler or the framing of the body asks to close the connection.
    ///   - isWhole: whether all of the answer is there, so that the handler will not read more of the request.
    /// - Returns: whether the connection stays open after this answer.
    /// - Precondition: a request is there that has no answer yet.
    mutating func startResponse(wantsClose: Bool, isWhole: Bool) -> Bool {
        guard case .exchange(var exchange) = state, exchange.response == .pending else {
            illegal("the start of an answer")
            return false
        }
        exchange.response = .started
        if wantsClose || isDraining { exchange.keepsAlive = false }
        if exchange.awaitsContinue { exchange.keepsAlive = false }
        switch exchange.request {
        case .receiving(let left), .paused(let left):
            // The length of a chunked body is not known in advance.
            if isWhole, left.map({ $0 > Self.discardLimit }) ?? true { exchange.keepsAlive = false }
        case .failed: exchange.keepsAlive = false
        default: break
        }
        state = .exchange(exchange)
        return exchange.keepsAlive
    }

    /// Ends the answer. The next request follows, or the rest of this one is read and dropped, or the connection closes
    /// once everything is sent.
    ///
    /// - Precondition: an answer was started.
    mutating func responseEnded() {
        guard case .exchange(var exchange) = state, exchange.response == .started else {
            return illegal("the end of an answer")
        }
        switch exchange.request {
        case .complete: end(exchange.keepsAlive)
        case .receiving(let left), .paused(let left):
            let isSmall = left.map { $0 <= Self.discardLimit } ?? true
            guard exchange.keepsAlive, isSmall else { return end(false) }
            exchange.request = .discarding(allowance: Self.discardLimit)
            state = .exchange(exchange)
        case .discarding: illegal("the end of an answer, twice")
        case .failed: end(false)
        }
    }

    /// Closes the connection once everything is sent: the last answer is written, or another protocol is over.
    ///
    /// - Precondition: the writing side is open.
    mutating func answeredAndClosing() {
        switch state {
        case .idle, .head, .exchange, .upgraded, .closing: state = .closing
        case .lingering, .closed: illegal("a last answer")
        }
    }

    private mutating func end(_ keepsAlive: Bool) {
        state = keepsAlive ? .idle : .closing
    }

    /// Handles an event that the state does not allow, which is a mistake of this program and never a client's doing.
    /// Debug builds stop. A release build closes the connection, for nothing sensible can follow.
    private mutating func illegal(_ event: StaticString) {
        assertionFailure("\(event) in the state \(state)")
        switch state {
        case .idle, .head, .exchange, .upgraded, .closing: state = .closing
        case .lingering, .closed: break
        }
    }

    // MARK: Another protocol

    /// - Precondition: ``canUpgrade``.
    mutating func upgraded() {
        guard canUpgrade else { return illegal("another protocol") }
        state = .upgraded(isPaused: false)
    }

    /// Leaves further input unread until the handler has caught up.
    mutating func pauseUpgraded() {
        if case .upgraded = state { state = .upgraded(isPaused: true) }
    }

    mutating func resumeUpgraded() {
        if case .upgraded = state { state = .upgraded(isPaused: false) }
    }

    // MARK: The connection

    /// Notes that everything written is sent.
    /// - Returns: whether to end the writing side; if false, close the connection.
    mutating func flushedWhileClosing() -> Bool {
        guard case .closing = state, !peerHasShut else { return false }
        state = .lingering
        return true
    }

    /// Notes that the client has ended its side. It may still read (RFC 9112 §9.6).
    mutating func peerShut() -> LossAction {
        peerHasShut = true
        switch state {
        case .idle, .head, .lingering: return .close
        case .closing, .closed: return .none
        case .upgraded: return .lose
        case .exchange(let exchange):
            switch exchange.request {
            case .complete, .failed: return .none
            case .receiving, .paused: return .failBody
            case .discarding: return .close
            }
        }
    }

    mutating func timedOut(_ timer: Timer) -> TimeoutAction {
        switch (timer, state) {
        case (.idle, .idle), (.linger, .lingering): return .close
        case (.header, .head): return .answer
        case (.body, .exchange(let exchange)):
            if case .discarding = exchange.request { return .close }
            return .failBody
        default: return .none
        }
    }

    /// Makes the present request the last, because the server stops. An idle connection can be closed at once.
    mutating func drain() {
        isDraining = true
    }

    mutating func close() {
        state = .closed
    }
}
