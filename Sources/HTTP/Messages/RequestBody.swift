/// The body of a request, read once, in order, as it arrives. The socket is not read further than a few buffers ahead of
/// the reader.
package struct RequestBody: AsyncSequence, Sendable {
    package typealias Element = [UInt8]
    package typealias Failure = any Error

    enum Storage: Sendable {
        case bytes([UInt8])
        case channel(RequestBodyChannel)
    }

    /// In bytes, as the client announced it; nil when the body is chunked.
    package let contentLength: Int?
    let storage: Storage

    /// A body that is all there.
    package init(_ bytes: [UInt8] = []) {
        contentLength = bytes.count
        storage = .bytes(bytes)
    }

    init(channel: RequestBodyChannel, contentLength: Int?) {
        self.contentLength = contentLength
        storage = .channel(channel)
    }

    package func makeAsyncIterator() -> AsyncIterator {
        switch storage {
        case .bytes(let bytes): AsyncIterator(remaining: bytes, channel: nil)
        case .channel(let channel): AsyncIterator(remaining: [], channel: channel)
        }
    }

    /// The whole body.
    /// - Parameter limit: in bytes.
    /// - Throws: ``RequestBodyError``: too large, malformed, cut off or too slow.
    package func collect(upTo limit: Int) async throws -> [UInt8] {
        if let contentLength, contentLength > limit { throw RequestBodyError.tooLarge(limit: limit) }
        if case .bytes(let bytes) = storage { return bytes }
        var all: [UInt8] = []
        if let contentLength { all.reserveCapacity(contentLength) }
        for try await chunk in self {
            guard all.count + chunk.count <= limit else { throw RequestBodyError.tooLarge(limit: limit) }
            all.append(contentsOf: chunk)
        }
        return all
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        var remaining: [UInt8]
        let channel: RequestBodyChannel?

        package mutating func next() async throws -> [UInt8]? {
            if let channel { return try await channel.next() }
            defer { remaining = [] }
            return remaining.isEmpty ? nil : remaining
        }
    }
}

/// Why a request body could not be read to its end.
package enum RequestBodyError: ProblemConvertible, Hashable {
    /// In bytes.
    case tooLarge(limit: Int)
    case malformed(String)
    /// The client left, or ended its side, before the end.
    case cutOff
    case tooSlow

    package var problem: ProblemDetails {
        switch self {
        case .tooLarge(let limit):
            ProblemDetails(.contentTooLarge, detail: "The body is larger than the \(limit) bytes allowed here.")
        case .malformed(let detail): ProblemDetails(.badRequest, detail: detail)
        case .cutOff: ProblemDetails(.badRequest, detail: "The body ended before its announced length.")
        case .tooSlow: ProblemDetails(.requestTimeout, detail: "The body arrived too slowly.")
        }
    }
}
