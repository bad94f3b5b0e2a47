/// What the state machine knows of the request that is being served.
extension ConnectionStateMachine {
    struct Exchange: Hashable {
        var request: RequestState
        var response = ResponseState.pending
        var keepsAlive: Bool
        /// The client waits for `100 Continue` before it sends the body.
        var awaitsContinue: Bool
    }

    enum RequestState: Hashable {
        /// Bytes of the body still to come; nil when chunked.
        case receiving(left: Int?)
        /// The reader of the body lags behind.
        case paused(left: Int?)
        /// Nobody reads the body; how many bytes may still be dropped.
        case discarding(allowance: Int)
        case complete
        /// Malformed, cut off or too slow: nothing after it can be read.
        case failed
    }

    enum ResponseState: Hashable {
        case pending
        case started
    }
}
