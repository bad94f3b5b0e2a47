/// The state machine's view of the request that is being served.
extension ConnectionStateMachine {
    struct Exchange: Hashable {
        var request: RequestState
        var response = ResponseState.pending
        var keepsAlive: Bool
        /// Whether the client waits for `100 Continue` before it sends the body.
        var awaitsContinue: Bool
    }

    enum RequestState: Hashable {
        /// The body is arriving. `left` is the number of bytes to come, or nil when the body is chunked.
        case receiving(left: Int?)
        /// The reader of the body lags behind.
        case paused(left: Int?)
        /// Nobody reads the body. `allowance` is the number of bytes that may still be dropped.
        case discarding(allowance: Int)
        case complete
        /// The request is malformed, cut off or too slow, so nothing after it can be read.
        case failed
    }

    enum ResponseState: Hashable {
        case pending
        case started
    }
}

/// The actions that the state machine returns and the ``Connection`` performs.
extension ConnectionStateMachine {
    enum Timer: Hashable, Sendable {
        case idle, header, body, linger
    }

    enum BodyAction: Hashable {
        case deliver
        case discard
        case close
    }

    enum LossAction: Hashable {
        /// Close: the client is owed nothing.
        case close
        /// The body is cut off, and the handler has to be told.
        case failBody
        /// The protocol that took the connection over is cut off.
        case lose
        /// Go on answering.
        case none
    }

    enum TimeoutAction: Hashable {
        case close
        /// Answer 408, then close.
        case answer
        case failBody
        case none
    }
}
