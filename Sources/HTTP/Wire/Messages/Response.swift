/// A response of a handler. The server adds `Date`, `Server`, `X-Request-Id` and the framing.
package struct Response: Sendable {
    package var status: Status
    package var headers: HeaderFields
    package var body: ResponseBody

    package init(status: Status = .ok, headers: HeaderFields = [:], body: ResponseBody = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A whole body with its `Content-Type`, and `Cache-Control` if that is given.
    package static func bytes(
        _ bytes: [UInt8], type: MediaType, status: Status = .ok, cacheControl: String? = nil
    ) -> Response {
        var response = Response(status: status, headers: ["Content-Type": type.description], body: .bytes(bytes))
        if let cacheControl { response.headers["Cache-Control"] = cacheControl }
        return response
    }

    /// The problem as `application/problem+json`, with its own header fields.
    package static func problem(_ problem: ProblemDetails) -> Response {
        var headers = problem.headers
        headers["Content-Type"] = "application/problem+json"
        return Response(status: problem.status, headers: headers, body: .bytes(problem.json()))
    }
}

package enum ResponseBody: Sendable {
    case empty
    case bytes([UInt8])
    /// A part of a file, sent in pieces and never read whole.
    case file(FileRegion)
    /// Several parts, sent one after the other.
    case parts([Part])
    /// A body that is made while it is sent. `length` is in bytes; nil means chunked (RFC 9112 §7.1).
    case stream(length: Int?, @Sendable (ResponseBodyWriter) async throws -> Void)
    /// A WebSocket takes the connection over after the head, which is that of its handshake. It lies apart, so that
    /// other responses stay small.
    indirect case webSocket(WebSocketUpgrade)

    /// A body of known length, or a piece of one.
    package enum Part: Sendable {
        case bytes([UInt8])
        case file(FileRegion)

        /// The length in bytes.
        package var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let region): region.length
            }
        }

        /// The bytes in that range, counted from the beginning of the part.
        package subscript(_ range: Range<Int>) -> Part {
            switch self {
            case .bytes(let bytes): .bytes(range == bytes.indices ? bytes : Array(bytes[range]))
            case .file(let region):
                .file(FileRegion(file: region.file, offset: region.offset + range.lowerBound, length: range.count))
            }
        }
    }

    /// The length in bytes; nil for a stream that does not tell it.
    var length: Int? {
        switch self {
        case .empty, .webSocket: 0
        case .bytes(let bytes): bytes.count
        case .file(let region): region.length
        case .parts(let parts): parts.reduce(0) { $0 + $1.count }
        case .stream(let length, _): length
        }
    }

    package init(_ part: Part) {
        switch part {
        case .bytes(let bytes): self = .bytes(bytes)
        case .file(let region): self = .file(region)
        }
    }
}

/// The writer for the body of a streaming response.
package struct ResponseBodyWriter: Sendable {
    private let send: @Sendable ([UInt8]) async throws -> Void

    package init(_ send: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.send = send
    }

    /// Writes bytes, and returns when the connection has room for more.
    /// - Throws: ``ConnectionLost`` or `CancellationError` when the client has gone.
    package func write(_ bytes: [UInt8]) async throws {
        try await send(bytes)
    }
}

/// The client is gone, so nobody can read an answer.
package struct ConnectionLost: Error {
    package init() {}
}
