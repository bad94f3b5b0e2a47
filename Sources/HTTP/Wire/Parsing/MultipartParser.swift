import Glibc

/// Reads a `multipart/form-data` body (RFC 7578, RFC 2046 §5.1) in chunks of any size, without I/O.
///
/// It buffers only the header of one part. Bytes that may begin a boundary are held back; they are always a prefix of
/// the delimiter, so their number is enough to restore them. CR occurs only at the delimiter's start, so after a failed
/// match the next one can begin only at the byte that failed.
package struct MultipartParser {
    package enum Event: Sendable {
        case partBegan(MultipartHead)
        /// Content of the latest part. It shares the storage of the chunk.
        case partBytes(ArraySlice<UInt8>)
        case partEnded
    }

    private enum State {
        /// Before the first boundary.
        case preamble
        case afterBoundary
        /// After a boundary and "-".
        case closing
        /// After a boundary and blanks (RFC 2046: transport padding).
        case padding
        /// After a boundary and CR.
        case lineEnd
        case header
        case content
        /// After the closing boundary. Everything here is ignored.
        case epilogue
    }

    /// CR LF "--" boundary.
    private let delimiter: [UInt8]
    private let limits: MultipartLimits
    private var state = State.preamble
    /// The number of delimiter bytes at the end of the input so far. A first boundary has no line end before it, so
    /// that line end counts as seen.
    private var matched = 2
    /// The index in the delimiter of the first held-back byte that belongs to the content.
    private var heldFrom = 2
    private var header: [UInt8] = []
    private var partCount = 0
    private var contentBytes = 0
    private var totalBytes = 0

    /// - Parameter boundary: the boundary without quotes and without the leading "--".
    package init(boundary: String, limits: MultipartLimits = MultipartLimits()) throws(MultipartError) {
        let bytes = Array(boundary.utf8)
        guard (1...70).contains(bytes.count), bytes.allSatisfy({ (0x20..<0x7F).contains($0) }), bytes.last != 0x20
        else { throw .invalidBoundary(boundary) }
        delimiter = Array("\r\n--".utf8) + bytes
        self.limits = limits
    }

    /// - Parameter contentType: the value of the request's Content-Type.
    package init(contentType: String?, limits: MultipartLimits = MultipartLimits()) throws(MultipartError) {
        guard let contentType, let type = MediaType(contentType), type.essence == "multipart/form-data" else {
            throw .notFormData(contentType ?? "")
        }
        guard let boundary = type.parameter("boundary") else { throw .invalidBoundary(nil) }
        try self.init(boundary: boundary, limits: limits)
    }

    /// Reads the next bytes of the body. After an error the parser must not be used again.
    package mutating func feed(_ bytes: [UInt8]) throws(MultipartError) -> [Event] {
        let chunk = bytes[...]
        totalBytes += chunk.count
        guard totalBytes <= limits.totalBytes else { throw .bodyTooLarge(limit: limits.totalBytes) }
        var events: [Event] = []
        var index = chunk.startIndex
        while index < chunk.endIndex {
            switch state {
            case .preamble, .content:
                index = try scan(chunk, from: index, &events)
            case .header:
                index = try readHeader(chunk, from: index, &events)
            case .epilogue:
                index = chunk.endIndex
            case .afterBoundary, .closing, .padding, .lineEnd:
                try endBoundary(chunk[index])
                index += 1
            }
        }
        return events
    }

    /// Checks that the body is complete.
    package func finish() throws(MultipartError) {
        guard case .epilogue = state else { throw .unterminated(part: max(0, partCount - 1)) }
    }

    /// Emits content up to the delimiter or the end of the chunk.
    private mutating func scan(
        _ chunk: ArraySlice<UInt8>, from start: Int, _ events: inout [Event]
    ) throws(MultipartError) -> Int {
        var index = start
        while index < chunk.endIndex {
            if matched == 0 {
                let end = Self.firstCarriageReturn(chunk, from: index)
                try emit(chunk[index..<end], &events)
                index = end
                if index == chunk.endIndex { break }
                matched = 1
                index += 1
            } else if chunk[index] == delimiter[matched] {
                matched += 1
                index += 1
                if matched == delimiter.count {
                    if case .content = state { events.append(.partEnded) }
                    state = .afterBoundary
                    break
                }
            } else {
                try emit(delimiter[heldFrom..<matched], &events)
                matched = 0
                heldFrom = 0
            }
        }
        return index
    }

    private mutating func emit(_ bytes: ArraySlice<UInt8>, _ events: inout [Event]) throws(MultipartError) {
        guard case .content = state, !bytes.isEmpty else { return }
        contentBytes += bytes.count
        guard contentBytes <= limits.partBytes else {
            throw .partTooLarge(part: partCount - 1, limit: limits.partBytes)
        }
        events.append(.partBytes(bytes))
    }

    /// `"--" boundary transport-padding CRLF` or `"--" boundary "--"`.
    private mutating func endBoundary(_ byte: UInt8) throws(MultipartError) {
        switch (state, byte) {
        case (.afterBoundary, UInt8(ascii: "-")): state = .closing
        case (.closing, UInt8(ascii: "-")): state = .epilogue
        case (.afterBoundary, 0x20), (.afterBoundary, 0x09), (.padding, 0x20), (.padding, 0x09): state = .padding
        case (.afterBoundary, 0x0D), (.padding, 0x0D): state = .lineEnd
        case (.lineEnd, 0x0A):
            guard partCount < limits.parts else { throw .tooManyParts(limit: limits.parts) }
            partCount += 1
            header.removeAll(keepingCapacity: true)
            state = .header
        default: throw .malformedDelimiter(part: partCount)
        }
    }

    /// Collects lines up to the empty one.
    private mutating func readHeader(
        _ chunk: ArraySlice<UInt8>, from start: Int, _ events: inout [Event]
    ) throws(MultipartError) -> Int {
        var index = start
        while index < chunk.endIndex {
            let byte = chunk[index]
            index += 1
            header.append(byte)
            guard header.count <= limits.headerBytes else {
                throw .headerTooLarge(part: partCount - 1, limit: limits.headerBytes)
            }
            if byte == 0x0A, header.count == 2 || header.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) {
                events.append(.partBegan(try MultipartHeaderParser(part: partCount - 1).parse(header)))
                // The header's last line end may begin the delimiter (RFC 2046: a part without content).
                matched = 2
                heldFrom = 2
                contentBytes = 0
                state = .content
                break
            }
        }
        return index
    }

    private static func firstCarriageReturn(_ chunk: ArraySlice<UInt8>, from index: Int) -> Int {
        chunk[index...].withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base, 0x0D, bytes.count) else {
                return chunk.endIndex
            }
            return index + (UnsafeRawPointer(found) - base)
        }
    }
}
