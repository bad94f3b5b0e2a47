package import Base
package import ServiceContextModule

/// Told what happens on connections. Called on the loops: must be cheap and never block.
package protocol ServerObserver: Sendable {
    /// The observer of one event loop, which is called on that loop only; asked once for each when the server starts.
    /// The one that is asked is told what concerns no loop.
    func observer(ofLoop index: Int) -> any ServerObserver
    /// A connection was accepted.
    func connectionOpened()
    /// A connection that was told of as opened has ended.
    func connectionClosed()
    /// Bytes were read from a client, TLS taken off.
    func bytesReceived(_ count: Int)
    /// Bytes were handed to the system for a client, before TLS is put on.
    func bytesSent(_ count: Int)
    /// An answer is over: all of it was handed on, or it broke off.
    func requestCompleted(_ record: RequestRecord)
    /// A connection or a request that was refused before it reached a handler.
    func refused(_ reason: RefusalReason)
}

extension ServerObserver {
    package func observer(ofLoop index: Int) -> any ServerObserver { self }
    package func connectionOpened() {}
    package func connectionClosed() {}
    package func bytesReceived(_ count: Int) {}
    package func bytesSent(_ count: Int) {}
    package func requestCompleted(_ record: RequestRecord) {}
    package func refused(_ reason: RefusalReason) {}
}

/// Why something was refused.
package enum RefusalReason: String, Sendable, Hashable, CaseIterable {
    case tooManyConnections = "too_many_connections"
    case malformedRequest = "malformed_request"
    case malformedWebSocket = "malformed_web_socket"
    case timeout
    case tlsHandshake = "tls_handshake"
    case outOfDescriptors = "out_of_descriptors"
    /// The bodies of requests take as much memory as they may.
    case bodyMemory = "body_memory"
    /// For a host that is none of this server's.
    case host
    /// From a page of another site.
    case crossSite = "cross_site"
}

/// One request that was answered.
package struct RequestRecord: Sendable {
    package let method: Method
    /// The pattern that matched.
    package let route: String?
    /// As the client wrote it.
    package let target: String
    package let status: Status
    /// From the complete head to the end of the answer's making.
    package let duration: Duration
    /// Of the body, decoded.
    package let bytesIn: Int
    /// Of the body, before chunking.
    package let bytesOut: Int
    package let id: String
    /// As `Request.remoteAddress`.
    package let remoteAddress: String
    /// As ``Request/context``.
    package let context: ServiceContext?
    private let headers: HeaderFields

    /// - Parameters:
    ///   - bytesIn: of the body, decoded.
    ///   - bytesOut: of the body, before chunking.
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
        context = request.context
        headers = request.headers
    }

    /// The trace that the request belongs to, as the client says. Parsed whenever it is asked for.
    package var trace: TraceContext? { TraceContext(headers) }
}
