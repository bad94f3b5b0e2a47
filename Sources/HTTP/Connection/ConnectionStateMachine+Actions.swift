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
