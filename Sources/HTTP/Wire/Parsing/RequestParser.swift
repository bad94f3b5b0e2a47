import Glibc

/// Turns the bytes of a connection into requests (RFC 9112): incremental, without I/O, and resumable at any byte.
///
/// The caller keeps the bytes that were not consumed, appends what arrives and calls again. A head is consumed as a whole,
/// so until it is complete the bytes given always start with it; no byte is looked at twice.
/// It is not copied: a connection reads through its own, in place. What it answers is `mutating` for that alone: a module
/// that asks a large value by any other way first copies all of it to its stack.
package struct RequestParser: ~Copyable, Sendable {
    /// What was read of a request.
    package enum Event: Sendable {
        /// Without a body (`framing == .none`) this is the whole request, and no ``end`` follows.
        case head(RequestHead)
        /// A range of the bytes given.
        case body(Range<Int>)
        /// The request is complete; the next bytes belong to another one.
        case end
    }

    /// Kept small: it is looked at for every line of a head.
    private enum State {
        case requestLine
        case fields
        /// Bytes still to come.
        case fixed(Int)
        /// ``decoder`` knows what is still to come.
        case chunked
        case complete
    }

    let limits: ParserLimits
    private var state = State.requestLine
    private var decoder: ChunkedDecoder
    private var head: HeadBuilder
    /// Where the line that is not complete yet starts.
    private var lineStart = 0
    /// Up to where it was searched for its end.
    private var searched = 0
    private var emptyLines = 0

    /// Whether ``Event/end`` is due, which takes no further byte.
    package var hasPendingEnd: Bool {
        mutating get { if case .complete = state { true } else { false } }
    }

    /// Bytes of a body of known length that are still to come; 0 for any other.
    package var bodyBytesLeft: Int {
        mutating get { if case .fixed(let remaining) = state { remaining } else { 0 } }
    }

    /// So many bytes of the body were taken from the connection without coming by here.
    /// - Parameter count: up to ``bodyBytesLeft``.
    package mutating func passedBody(_ count: Int) {
        guard case .fixed(let remaining) = state else { return }
        state = count >= remaining ? .complete : .fixed(remaining - count)
    }

    package init(limits: ParserLimits) {
        self.limits = limits
        decoder = ChunkedDecoder(limits: limits)
        head = HeadBuilder(limits: limits)
    }

    /// Bounds the body of the request whose head was just read; ``ParserLimits/body`` knows nothing of routes.
    /// - Parameter bytes: how many the decoded body may have.
    /// - Throws: a 413 where the head announces more. Where it announces nothing, ``next(in:consumed:)`` throws it later.
    package mutating func limitBody(to bytes: Int) throws(ParserError) {
        switch state {
        case .fixed(let length) where length > bytes: throw .tooLarge(limit: bytes)
        case .chunked: decoder.bodyLimit = bytes
        default: break
        }
    }

    /// Whether part of a request was seen: its head is not complete, or its body is not.
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
    /// - Parameter consumed: how many bytes the event used; the next call has to start after them.
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
                // A CR at the end may be the first half of a line end: it is looked at again.
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
                    // The caller drops them, so that the head starts where its bytes start.
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

    /// Refuses early what can never become a valid line, so that its sender need not be waited for.
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
