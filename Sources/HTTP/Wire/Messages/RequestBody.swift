/// The body of a request, read once, in order, as it arrives. The socket is not read further than a few buffers ahead of
/// the reader.
package struct RequestBody: AsyncSequence, Sendable {
    package typealias Element = [UInt8]
    package typealias Failure = any Error

    enum Storage: Sendable {
        case bytes([UInt8])
        case channel(RequestBodyChannel)
        /// Packed in a way that nobody here can undo: the `Content-Encoding`.
        case unreadable(String)
    }

    /// In bytes, as the client announced it; nil when the body is chunked.
    package let contentLength: Int?
    let storage: Storage
    /// How it is packed; it is expanded as it is read. nil: not at all.
    private let coding: ContentCoding?
    /// Where its bytes are counted; nil: nowhere.
    private let allowance: BodyAllowance?

    /// A body that is all there.
    package init(_ bytes: [UInt8] = []) {
        contentLength = bytes.count
        storage = .bytes(bytes)
        coding = nil
        allowance = nil
    }

    /// - Parameter allowance: that of the channel.
    package init(channel: RequestBodyChannel, contentLength: Int?, allowance: BodyAllowance? = nil) {
        self.contentLength = contentLength
        storage = .channel(channel)
        coding = nil
        self.allowance = allowance
    }

    private init(_ storage: Storage, coding: ContentCoding?, allowance: BodyAllowance?) {
        contentLength = nil
        self.storage = storage
        self.coding = coding
        self.allowance = allowance
    }

    /// The same body without its content coding. A coding that is not known is an error when the body is read.
    ///
    /// - Parameter field: the value of `Content-Encoding`.
    func decoded(from field: String) -> RequestBody {
        switch ContentCoding(name: field) {
        case .identity?: self
        case let coding?: RequestBody(storage, coding: coding, allowance: allowance)
        case nil: RequestBody(.unreadable(field), coding: nil, allowance: allowance)
        }
    }

    package func makeAsyncIterator() -> AsyncIterator {
        switch storage {
        case .bytes(let bytes): AsyncIterator(remaining: bytes, coding: coding)
        case .channel(let channel): AsyncIterator(channel: channel, coding: coding)
        case .unreadable(let coding): AsyncIterator(unknownCoding: coding)
        }
    }

    /// Counts bytes that a handler keeps of what it read, until the request is over.
    /// - Throws: ``RequestBodyError/noRoom``.
    package func hold(_ bytes: Int) throws(RequestBodyError) { try allowance?.take(bytes) }

    /// The whole body.
    /// - Parameter limit: in bytes.
    /// - Throws: ``RequestBodyError``: too large, malformed, cut off, too slow, or no room for it now.
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
        private var remaining: [UInt8] = []
        private let channel: RequestBodyChannel?
        private let unknownCoding: String?
        private let coding: ContentCoding?
        /// Made with the first bytes.
        private var decoder: ContentDecoder?

        fileprivate init(
            remaining: [UInt8] = [], channel: RequestBodyChannel? = nil, unknownCoding: String? = nil,
            coding: ContentCoding? = nil
        ) {
            self.remaining = remaining
            self.channel = channel
            self.unknownCoding = unknownCoding
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

        /// The next bytes as they came.
        private mutating func received() async throws -> [UInt8]? {
            if let unknownCoding { throw RequestBodyError.unknownCoding(unknownCoding) }
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
    /// The value of `Content-Encoding`.
    case unknownCoding(String)
    /// The bodies of all requests, or of this client's, take as much memory as they may: see ``BodyBudget``.
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
