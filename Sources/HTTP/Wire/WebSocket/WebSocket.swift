/// An open WebSocket, as a route's handler uses it. Any task may use it, but only one may read messages.
///
/// Without the handler's help, pings are answered, idle clients are pinged, and clients that no longer answer are
/// dropped. The WebSocket is closed with 1000 when the handler returns, and with 1011 when it throws. The handler's
/// task is cancelled when the client leaves without closing. After an orderly end the task is cancelled only if it
/// never read ``messages``, which would have told it.
package final class WebSocket: Sendable {
    private let carrier: any WebSocketCarrier
    private let inbox: WebSocketInbox

    init(_ carrier: any WebSocketCarrier, inbox: WebSocketInbox) {
        self.carrier = carrier
        self.inbox = inbox
    }

    /// The messages of the client. The socket is read only a few messages ahead. The sequence ends when either side
    /// closes. It throws ``WebSocketError`` when the client breaks the protocol, and `ConnectionLost` when the client
    /// leaves without closing.
    package var messages: WebSocketMessages { WebSocketMessages(inbox: inbox) }

    /// Sends a message, and returns when the connection has room for more.
    /// - Throws: `ConnectionLost` when the WebSocket is closed or closing.
    package func send(_ message: WebSocketMessage) async throws {
        try await withCheckedThrowingContinuation { continuation in
            carrier.sendOnWebSocket({ $0.send(message) }, continuation)
        }
    }

    package func send(_ text: String) async throws {
        try await send(.text(text))
    }

    /// Begins the closing handshake (RFC 6455 §7.1.2). ``messages`` ends, and later messages are dropped.
    package func close(_ code: WebSocketCloseCode = .normal, reason: String = "") {
        carrier.endWebSocket(code, reason: reason)
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
