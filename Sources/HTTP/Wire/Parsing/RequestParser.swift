import Glibc

/// An incremental parser that turns the bytes of a connection into requests (RFC 9112). It has no I/O.
///
/// The caller keeps the bytes that were not consumed, appends new ones and calls again. A head is consumed as a whole,
/// so until it is complete the given bytes always start with it. No byte is looked at twice.
/// The parser is not copyable, and its getters are `mutating`: for any other access another module first copies the
/// whole large value to its stack.
package struct RequestParser: ~Copyable, Sendable {
    package enum Event: Sendable {
        /// The head of a request. Without a body (`framing == .none`) it is the whole request, and no ``end`` follows.
        case head(RequestHead)
        /// A range of the given bytes.
        case body(Range<Int>)
        /// The request is complete. The next bytes belong to another one.
        case end
    }

    /// Kept small, because the parser looks at it for every line of a head.
    private enum State {
        case requestLine
        case fields
        /// A body of known length, with the number of bytes to come.
        case fixed(Int)
        /// A chunked body. ``decoder`` knows what is still to come.
        case chunked
        case complete
    }

    let limits: ParserLimits
    private var state = State.requestLine
    private var decoder: ChunkedDecoder
    private var head: HeadBuilder
    /// The start of the line that is not complete yet.
    private var lineStart = 0
    /// The index up to which the line's end was searched.
    private var searched = 0
    private var emptyLines = 0

    /// Whether ``Event/end`` is due, which needs no further byte.
    package var hasPendingEnd: Bool {
        mutating get { if case .complete = state { true } else { false } }
    }

    /// The number of bytes to come of a body of known length, otherwise 0.
    package var bodyBytesLeft: Int {
        mutating get { if case .fixed(let remaining) = state { remaining } else { 0 } }
    }

    /// Notes that the connection read bytes of the body without passing them to the parser.
    /// - Parameter count: at most ``bodyBytesLeft``.
    package mutating func passedBody(_ count: Int) {
        guard case .fixed(let remaining) = state else { return }
        state = count >= remaining ? .complete : .fixed(remaining - count)
    }

    package init(limits: ParserLimits) {
        self.limits = limits
        decoder = ChunkedDecoder(limits: limits)
        head = HeadBuilder(limits: limits)
    }

    /// Sets a route's limit for the body of the request whose head was just read.
    /// - Parameter bytes: the largest decoded body.
    /// - Throws: a 413 if the head announces more. For a body without announced length, ``next(in:consumed:)`` throws
    ///   it later.
    package mutating func limitBody(to bytes: Int) throws(ParserError) {
        switch state {
        case .fixed(let length) where length > bytes: throw .tooLarge(limit: bytes)
        case .chunked: decoder.bodyLimit = bytes
        default: break
        }
    }

    /// Whether a request has begun and is not complete.
    package var isWithinRequest: Bool {
        mutating get {
            switch state {
            case .requestLine: searched > 0
            case .fields, .fixed, .chunked: true
            case .complete: false
            }
        }
    }

    /// The next event in the bytes.
    /// - Parameter consumed: the number of bytes that the event used. The next call has to start after them.
    /// - Returns: nil when more bytes are needed.
    package mutating func next(in bytes: UnsafeRawBufferPointer, consumed: inout Int) throws(ParserError) -> Event? {
        consumed = 0
        switch state {
        case .requestLine, .fields:
            return try nextHead(in: bytes, consumed: &consumed).map(Event.head)
        case .fixed(let remaining):
            if bytes.isEmpty { return nil }
            let count = min(remaining, bytes.count)
            consumed = count
            state = count == remaining ? .complete : .fixed(remaining - count)
            return .body(0..<count)
        case .chunked:
            switch try decoder.next(in: bytes, consumed: &consumed) {
            case nil: return nil
            case .data(let range): return .body(range)
            case .end:
                state = .requestLine
                return .end
            }
        case .complete:
            state = .requestLine
            return .end
        }
    }

    private mutating func nextHead(
        in bytes: UnsafeRawBufferPointer, consumed: inout Int
    ) throws(ParserError) -> RequestHead? {
        guard let base = bytes.baseAddress else { return nil }
        while true {
            guard searched < bytes.count,
                let found = memchr(base + searched, 0x0A, bytes.count - searched)
            else {
                try checkIncompleteLine(bytes)
                // A CR at the end may be the first half of a line end, so it is looked at again.
                searched = bytes.count
                return nil
            }
            let lineFeed = UnsafeRawPointer(found) - base
            guard lineFeed > lineStart, bytes[lineFeed - 1] == 0x0D else {
                throw .malformed("A line has to end with CRLF; there is a bare LF.")
            }
            let line = lineStart..<(lineFeed - 1)
            searched = lineFeed + 1
            switch state {
            case .requestLine:
                if line.isEmpty {
                    emptyLines += 1
                    guard emptyLines <= limits.leadingEmptyLines else {
                        throw .malformed("Too many empty lines before a request line.")
                    }
                    lineStart = lineFeed + 1
                    consumed = lineStart
                    lineStart = 0
                    searched = 0
                    // The caller drops empty lines, so that the head starts where its bytes start.
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[consumed...])
                    var more = 0
                    let head = try nextHead(in: rest, consumed: &more)
                    consumed += more
                    return head
                }
                try head.readRequestLine(line, of: bytes)
                state = .fields
            default:
                if line.isEmpty {
                    consumed = lineFeed + 1
                    return try finishHead(bytes)
                }
                try head.readField(line, of: bytes)
            }
            lineStart = lineFeed + 1
        }
    }

    private mutating func finishHead(_ bytes: UnsafeRawBufferPointer) throws(ParserError) -> RequestHead {
        let complete = try head.finish(UnsafeRawBufferPointer(rebasing: bytes[..<lineStart]))
        lineStart = 0
        searched = 0
        emptyLines = 0
        head = HeadBuilder(limits: limits)
        switch complete.framing {
        case .none: state = .requestLine
        case .length(let length): state = .fixed(length)
        case .chunked:
            decoder = ChunkedDecoder(limits: limits)
            state = .chunked
        }
        return complete
    }

    /// Refuses a line early that can never become valid, so that the server need not wait for its end.
    private func checkIncompleteLine(_ bytes: UnsafeRawBufferPointer) throws(ParserError) {
        let length = bytes.count - lineStart
        if case .requestLine = state {
            try head.checkRequestLineLength(length, bytes: bytes)
        } else {
            try head.checkFieldLength(length)
        }
        var index = max(searched - 1, lineStart)
        while index < bytes.count {
            let byte = bytes[index]
            let isLineEndToBe = byte == 0x0D && index == bytes.count - 1
            guard ByteClass.isFieldContent(byte) || isLineEndToBe else {
                throw .malformed("There is a control character in the head of the request.")
            }
            index += 1
        }
    }
}
