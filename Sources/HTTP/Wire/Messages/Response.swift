/// A response as a handler makes it. The server adds `Date`, `Server`, `X-Request-Id` and the framing.
package struct Response: Sendable {
    package var status: Status
    package var headers: HeaderFields
    package var body: ResponseBody

    package init(status: Status = .ok, headers: HeaderFields = [:], body: ResponseBody = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A whole body with its `Content-Type`.
    package static func bytes(_ bytes: [UInt8], type: MediaType, status: Status = .ok) -> Response {
        Response(status: status, headers: ["Content-Type": type.description], body: .bytes(bytes))
    }

    /// The problem as `application/problem+json`, with its own header fields.
    package static func problem(_ problem: ProblemDetails) -> Response {
        var headers = problem.headers
        headers["Content-Type"] = "application/problem+json"
        return Response(status: problem.status, headers: headers, body: .bytes(problem.json()))
    }
}

/// What a response carries.
package enum ResponseBody: Sendable {
    case empty
    case bytes([UInt8])
    /// Sent in pieces, never read whole.
    case file(FileRegion)
    /// One after the other.
    case parts([Part])
    /// Made while it is sent; `length` in bytes, chunked (RFC 9112 §7.1) when nil.
    case stream(length: Int?, @Sendable (ResponseBodyWriter) async throws -> Void)
    /// Another protocol takes the connection over after the head, which has to be that of its handshake.
    case upgrade(any ProtocolUpgrade)

    /// A body, or a piece of one, whose length is known.
    package enum Part: Sendable {
        case bytes([UInt8])
        case file(FileRegion)

        /// In bytes.
        package var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let region): region.length
            }
        }

        /// The bytes of that range, counted from the beginning of the part.
        package subscript(_ range: Range<Int>) -> Part {
            switch self {
            case .bytes(let bytes): .bytes(range == bytes.indices ? bytes : Array(bytes[range]))
            case .file(let region):
                .file(FileRegion(file: region.file, offset: region.offset + range.lowerBound, length: range.count))
            }
        }
    }

    package init(_ part: Part) {
        switch part {
        case .bytes(let bytes): self = .bytes(bytes)
        case .file(let region): self = .file(region)
        }
    }
}

/// What takes a connection over after `101 Switching Protocols` (RFC 9110 §7.8); the connection knows which there are.
package protocol ProtocolUpgrade: Sendable {}

/// Where a streaming response writes its body.
package struct ResponseBodyWriter: Sendable {
    private let send: @Sendable ([UInt8]) async throws -> Void

    package init(_ send: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.send = send
    }

    /// Returns when the connection has room for more.
    /// - Throws: ``ConnectionLost`` or `CancellationError` when the client has gone.
    package func write(_ bytes: [UInt8]) async throws {
        try await send(bytes)
    }
}

/// The client is gone; nobody can read an answer.
package struct ConnectionLost: Error {
    package init() {}
}
