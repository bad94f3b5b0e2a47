package import Base

/// Receives the events of connections. Its methods run on the loops, so they must be cheap and never block.
package protocol ServerObserver: Sendable {
    /// Another observer, which gets what this one does not implement. Nil by default.
    var next: (any ServerObserver)? { get }
    /// The observer of one event loop, which is called on that loop only. The server asks for one per loop at its
    /// start. Events outside the loops go to the observer that was asked.
    func observer(ofLoop index: Int) -> any ServerObserver
    func connectionOpened()
    /// A connection has ended after ``connectionOpened()``.
    func connectionClosed()
    /// Bytes were read from a client. The count is after TLS decryption.
    func bytesReceived(_ count: Int)
    /// Bytes were handed to the system for a client. The count is before TLS encryption.
    func bytesSent(_ count: Int)
    /// An answer is over: it was handed on whole, or it broke off.
    func requestCompleted(_ record: RequestRecord)
    /// A connection or a request was refused before it reached a handler.
    func refused(_ reason: RefusalReason)
}

extension ServerObserver {
    package var next: (any ServerObserver)? { nil }
    package func observer(ofLoop index: Int) -> any ServerObserver { self }
    package func connectionOpened() { next?.connectionOpened() }
    package func connectionClosed() { next?.connectionClosed() }
    package func bytesReceived(_ count: Int) { next?.bytesReceived(count) }
    package func bytesSent(_ count: Int) { next?.bytesSent(count) }
    package func requestCompleted(_ record: RequestRecord) { next?.requestCompleted(record) }
    package func refused(_ reason: RefusalReason) { next?.refused(reason) }
}

package enum RefusalReason: String, Sendable, Hashable, CaseIterable {
    case tooManyConnections = "too_many_connections"
    case malformedRequest = "malformed_request"
    case malformedWebSocket = "malformed_web_socket"
    case timeout
    case tlsHandshake = "tls_handshake"
    case outOfDescriptors = "out_of_descriptors"
    /// The bodies of requests hold all the memory that is allowed.
    case bodyMemory = "body_memory"
    /// The request is for a host that is not this server's.
    case host
    /// The request comes from a page of another site.
    case crossSite = "cross_site"
}

/// A request that was answered.
package struct RequestRecord: Sendable {
    package let method: Method
    /// The pattern of the route, such as `/breeds/{id}`. Nil if no route matched.
    package let route: String?
    /// The request target as the client wrote it.
    package let target: String
    package let status: Status
    /// The time from the complete head until the answer is made.
    package let duration: Duration
    /// The bytes of the request's body, decoded.
    package let bytesIn: Int
    /// The bytes of the response's body, before chunking.
    package let bytesOut: Int
    package let id: String
    /// See `Request.remoteAddress`.
    package let remoteAddress: String
    /// See ``Request/span``.
    package let span: ActiveSpan?
    private let headers: HeaderFields

    /// - Parameters:
    ///   - bytesIn: the bytes of the request's body, decoded.
    ///   - bytesOut: the bytes of the response's body, before chunking.
    package init(_ request: Request, status: Status, duration: Duration, bytesIn: Int, bytesOut: Int) {
        method = request.method
        route = request.route
        target = request.target
        self.status = status
        self.duration = duration
        self.bytesIn = bytesIn
        self.bytesOut = bytesOut
        id = request.id
        remoteAddress = request.remoteAddress
        span = request.span
        headers = request.headers
    }

    /// The trace that the request belongs to, according to the client. It is parsed at every call.
    package var trace: TraceContext? { TraceContext(headers) }
}
