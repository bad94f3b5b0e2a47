/// What the state machine answers, for the ``Connection`` to perform.
extension ConnectionStateMachine {
    /// Which deadline applies.
    enum Timer: Hashable, Sendable {
        case idle, header, body, linger
    }

    enum BodyAction: Hashable {
        case deliver
        case discard
        case close
    }

    enum LossAction: Hashable {
        /// Nothing is owed to the client.
        case close
        /// The body is cut off; the handler has to learn of it.
        case failBody
        /// The other protocol is cut off.
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
