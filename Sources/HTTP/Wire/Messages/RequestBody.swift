/// The body of a request, read once and in order. The socket is read only a few buffers ahead of the reader.
package struct RequestBody: AsyncSequence, Sendable {
    package typealias Element = [UInt8]
    package typealias Failure = any Error

    enum Storage: Sendable {
        case bytes([UInt8])
        case channel(InputQueue<[UInt8]>)
        /// A body with this `Content-Encoding`, which the server cannot decode.
        case unreadable(String)
    }

    /// The length in bytes that the client announced; nil if the body is chunked.
    package let contentLength: Int?
    let storage: Storage
    /// The content coding, which is undone as the body is read; nil for plain content.
    private let coding: ContentCoding?
    /// The allowance that counts the body's bytes; nil counts nothing.
    private let allowance: BodyAllowance?

    /// A body that is all in memory.
    package init(_ bytes: [UInt8] = []) {
        self.init(.bytes(bytes), contentLength: bytes.count)
    }

    init(
        _ storage: Storage, contentLength: Int? = nil, coding: ContentCoding? = nil, allowance: BodyAllowance? = nil
    ) {
        self.contentLength = contentLength
        self.storage = storage
        self.coding = coding
        self.allowance = allowance
    }

    /// The same body without its content coding. An unknown coding is an error when the body is read.
    ///
    /// - Parameter field: the value of `Content-Encoding`.
    func decoded(from field: String) -> RequestBody {
        switch ContentCoding(name: field) {
        case .identity?: self
        case let coding?: RequestBody(storage, coding: coding, allowance: allowance)
        case nil: RequestBody(.unreadable(field), allowance: allowance)
        }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(storage: storage, coding: coding) }

    /// Counts bytes that a handler keeps of the body, until the request is over.
    /// - Throws: ``RequestBodyError/noRoom``.
    package func hold(_ bytes: Int) throws(RequestBodyError) { try allowance?.take(bytes) }

    /// Reads the whole body.
    /// - Parameter limit: the largest size in bytes.
    /// - Throws: ``RequestBodyError`` if the body is too large, malformed, cut off or too slow, or does not fit now.
    package func collect(upTo limit: Int) async throws -> [UInt8] {
        if let contentLength, contentLength > limit { throw RequestBodyError.tooLarge(limit: limit) }
        if case .bytes(let bytes) = storage, coding == nil { return bytes }
        var all: [UInt8] = []
        if let contentLength {
            try allowance?.check(contentLength)
            all.reserveCapacity(contentLength)
        }
        for try await chunk in self {
            guard all.count + chunk.count <= limit else { throw RequestBodyError.tooLarge(limit: limit) }
            try hold(chunk.count)
            all.append(contentsOf: chunk)
        }
        return all
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        private var storage: Storage
        private let coding: ContentCoding?
        /// The decoder, which is made with the first bytes.
        private var decoder: ContentDecoder?

        fileprivate init(storage: Storage, coding: ContentCoding?) {
            self.storage = storage
            self.coding = coding
        }

        package mutating func next() async throws -> [UInt8]? {
            guard let coding else { return try await received() }
            do {
                while true {
                    if let piece = try decoder?.next() { return piece }
                    guard let bytes = try await received() else { break }
                    let decoder = try self.decoder ?? ContentDecoder(coding)
                    self.decoder = decoder
                    decoder.feed(bytes)
                }
                try decoder?.finish()
                return nil
            } catch let error as ContentDecoder.Failure {
                throw RequestBodyError.malformed(
                    error == .cutOff
                        ? "The body ends in the midst of its \(coding.rawValue) content."
                        : "The body is not \(coding.rawValue) content, as its Content-Encoding says.")
            }
        }

        /// The next bytes, still packed.
        private mutating func received() async throws -> [UInt8]? {
            switch storage {
            case .bytes(let bytes):
                storage = .bytes([])
                return bytes.isEmpty ? nil : bytes
            case .channel(let channel): return try await channel.next()
            case .unreadable(let coding): throw RequestBodyError.unknownCoding(coding)
            }
        }
    }
}

/// The reason why a request body could not be read to its end.
package enum RequestBodyError: ProblemConvertible, Hashable {
    /// The limit is in bytes.
    case tooLarge(limit: Int)
    case malformed(String)
    /// The client left, or ended its side, before the end of the body.
    case cutOff
    case tooSlow
    /// The value is that of `Content-Encoding`.
    case unknownCoding(String)
    /// The bodies of all requests, or those of this client, hold all the memory allowed: see ``BodyBudget``.
    case noRoom

    package var problem: ProblemDetails {
        switch self {
        case .tooLarge(let limit):
            ProblemDetails(.contentTooLarge, detail: "The body is larger than the \(limit) bytes allowed here.")
        case .malformed(let detail): ProblemDetails(.badRequest, detail: detail)
        case .cutOff: ProblemDetails(.badRequest, detail: "The body ended before its announced length.")
        case .tooSlow: ProblemDetails(.requestTimeout, detail: "The body arrived too slowly.")
        case .unknownCoding(let coding):
            ProblemDetails(
                .unsupportedMediaType,
                detail: "The Content-Encoding is “\(coding.prefix(80))”, but has to be one of "
                    + "\(ContentCoding.accepted), or be left out.",
                headers: ["Accept-Encoding": ContentCoding.accepted])
        case .noRoom:
            ProblemDetails(
                .serviceUnavailable,
                detail: "The bodies of requests take as much memory as they may; try again in a moment.",
                headers: ["Retry-After": "1"])
        }
    }
}
