/// What a connection keeps of the WebSocket that it carries. Touched on the loop only.
final class WebSocketTransport {
    /// What to do when the deadline has passed.
    enum Expiry: Hashable {
        case ping
        /// The client does not answer.
        case lose
        /// It answers our close with nothing, or the handler does not notice the client's.
        case close
        /// The time limit was moved: look again then.
        case wait
    }

    /// Milliseconds that a handler has to begin to read after the client closed.
    private static let unreadGrace: UInt64 = 250

    let session: WebSocketSession
    let inbox: WebSocketInbox
    var task: Task<Void, Never>?
    /// Calls of `send` that wait for room.
    var senders: [CheckedContinuation<Void, any Error>] = []
    /// The handler lags behind, so that no answer to a ping could be read.
    var isPaused = false
    /// The closing handshake took place.
    var isOrderly = false
    /// The handler has returned.
    var isHandled = false
    /// Milliseconds.
    private let heartbeat: UInt64?
    private let pong, close: UInt64
    /// Milliseconds of the loop's clock.
    private var lastSign: UInt64
    private var pingTime: UInt64?
    private var closeTime: UInt64?

    init(session: WebSocketSession, inbox: WebSocketInbox, timeouts: WebSocketTimeouts, now: UInt64) {
        self.session = session
        self.inbox = inbox
        heartbeat = timeouts.heartbeat?.wholeMilliseconds
        pong = timeouts.pong.wholeMilliseconds
        close = timeouts.close.wholeMilliseconds
        lastSign = now
    }

    /// In milliseconds of the loop's clock.
    var deadline: UInt64? {
        if let closeTime {
            // Whoever does not read cannot notice that the client has closed.
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
        let waiting = senders
        senders = []
        for sender in waiting { sender.resume() }
    }

    /// The connection has ended.
    func abandon(_ error: any Error) {
        // Before the task is cancelled, so that the reader learns why.
        inbox.finish(.failure(error))
        if !isOrderly || !inbox.wasRead { task?.cancel() }
        let waiting = senders
        senders = []
        for sender in waiting { sender.resume(throwing: error) }
    }
}
