/// An open WebSocket as a route's handler sees it. Safe to use from any task; messages are read by one at a time.
///
/// Pings are answered, idle clients are pinged, and those that no longer answer are dropped without the handler's doing.
/// When the handler returns the WebSocket is closed with 1000, when it throws with 1011. Its task is cancelled when the
/// client left without closing; after an orderly end only if it never read ``messages``, which tell it otherwise.
package final class WebSocket: Sendable {
    /// The one agreed on; nil when none was.
    package let subprotocol: String?
    private let carrier: any WebSocketCarrier
    private let inbox: WebSocketInbox

    init(_ carrier: any WebSocketCarrier, inbox: WebSocketInbox, subprotocol: String?) {
        self.carrier = carrier
        self.inbox = inbox
        self.subprotocol = subprotocol
    }

    /// What the client sends. The socket is not read further than a few messages ahead. The sequence ends when either
    /// side closes; it throws ``WebSocketError`` when the client broke the protocol and `ConnectionLost` when it left
    /// without closing.
    package var messages: WebSocketMessages { WebSocketMessages(inbox: inbox) }

    /// Returns when the connection has room for more.
    /// - Throws: `ConnectionLost` when the WebSocket is closed or closing.
    package func send(_ message: WebSocketMessage) async throws {
        try await perform { $0.send(message) }
    }

    /// As ``send(_:)-(WebSocketMessage)``, for a text.
    package func send(_ text: String) async throws {
        try await send(.text(text))
    }

    /// Sends a ping, to which the client answers by itself (RFC 6455 §5.5.2); any answer counts as a sign of life.
    /// - Parameter payload: at most 125 bytes; more is cut off.
    /// - Throws: `ConnectionLost` when the WebSocket is closed or closing.
    package func ping(_ payload: [UInt8] = []) async throws {
        try await perform { session in
            session.ping(payload)
            return session.isOpen
        }
    }

    /// Begins the closing handshake (RFC 6455 §7.1.2). ``messages`` ends; what comes from the client is dropped.
    package func close(_ code: WebSocketCloseCode = .normal, reason: String = "") {
        carrier.endWebSocket(code, reason: reason)
    }

    private func perform(_ action: @escaping @Sendable (WebSocketSession) -> Bool) async throws {
        try await withCheckedThrowingContinuation { continuation in
            carrier.sendOnWebSocket(action, continuation)
        }
    }
}

/// The messages of a client, in order, each read once.
package struct WebSocketMessages: AsyncSequence, Sendable {
    package typealias Element = WebSocketMessage
    package typealias Failure = any Error

    let inbox: WebSocketInbox

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(inbox: inbox) }

    package struct AsyncIterator: AsyncIteratorProtocol {
        let inbox: WebSocketInbox

        package mutating func next() async throws -> WebSocketMessage? {
            try await inbox.next()
        }
    }
}
