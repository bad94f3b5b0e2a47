/// A connection's record of the WebSocket that it carries. It is used on the loop only.
final class WebSocketTransport {
    /// The action when the deadline has passed.
    enum Expiry: Hashable {
        case ping
        /// Drop the connection, because the client does not answer.
        case lose
        /// Close, because the client does not answer our close, or the handler does not notice the client's.
        case close
        /// Wait for the deadline, which has moved.
        case wait
    }

    /// Milliseconds that a handler has to begin to read after the client closed.
    private static let unreadGrace: UInt64 = 250

    let session: WebSocketSession
    let inbox: InputQueue<WebSocketMessage>
    var task: Task<Void, Never>?
    /// Calls of `send` that wait for room.
    var senders: [CheckedContinuation<Void, any Error>] = []
    /// Whether reading stops because the handler lags behind. No answer to a ping could be read then.
    var isPaused = false
    /// Whether the closing handshake took place.
    var isOrderly = false
    /// Whether the handler has returned.
    var isHandled = false
    /// The timeouts, in milliseconds.
    private let heartbeat: UInt64?
    private let pong, close: UInt64
    /// Times in milliseconds of the loop's clock.
    private var lastSign: UInt64
    private var pingTime: UInt64?
    private var closeTime: UInt64?

    init(session: WebSocketSession, inbox: InputQueue<WebSocketMessage>, timeouts: WebSocketTimeouts, now: UInt64) {
        self.session = session
        self.inbox = inbox
        heartbeat = timeouts.heartbeat?.wholeMilliseconds
        pong = timeouts.pong.wholeMilliseconds
        close = timeouts.close.wholeMilliseconds
        lastSign = now
    }

    /// The time of the next action, in milliseconds of the loop's clock.
    var deadline: UInt64? {
        if let closeTime {
            // A handler that does not read cannot notice that the client has closed.
            return closeTime + (session.isAnswering && !inbox.wasRead ? min(close, Self.unreadGrace) : close)
        }
        if isPaused { return nil }
        if let pingTime { return pingTime + pong }
        return heartbeat.map { lastSign + $0 }
    }

    var isClosing: Bool { closeTime != nil }

    func received(now: UInt64) {
        lastSign = now
        pingTime = nil
    }

    func closing(now: UInt64) {
        if closeTime == nil { closeTime = now }
    }

    func expired(now: UInt64) -> Expiry {
        if closeTime != nil { return deadline.map { $0 <= now } == true ? .close : .wait }
        if pingTime != nil { return .lose }
        pingTime = now
        return .ping
    }

    func resumeSenders() {
        for sender in exchange(&senders, with: []) { sender.resume() }
    }

    /// Tells the reader, the senders and the handler's task that the connection has ended.
    func abandon(_ error: any Error) {
        // This comes before the task is cancelled, so that the reader learns the cause.
        inbox.finish(.failure(error))
        if !isOrderly || !inbox.wasRead { task?.cancel() }
        for sender in exchange(&senders, with: []) { sender.resume(throwing: error) }
    }
}
