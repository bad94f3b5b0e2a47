import Base

/// Decodes a chunked body (RFC 9112 §7.1): the syntax byte by byte, the data in ranges. Extensions and trailers are
/// checked, counted and dropped.
struct ChunkedDecoder: Sendable {
    enum Event: Hashable {
        /// A range of the given bytes.
        case data(Range<Int>)
        case end
    }

    private enum State {
        case sizeStart
        case size
        /// Blanks after the size or an extension. Only ";" may follow.
        case beforeExtension
        case extensionNameStart
        case extensionName
        case afterExtensionName
        case extensionValueStart
        case extensionValue
        case quotedValue
        case quotedPair
        case afterQuotedValue
        case sizeLineFeed
        case data
        case dataCarriageReturn
        case dataLineFeed
        case trailerStart
        case trailerName
        case trailerValue
        case trailerLineFeed
        case endLineFeed
        case ended
    }

    private let limits: ParserLimits
    /// The largest decoded body, in bytes.
    var bodyLimit: Int
    private var state = State.sizeStart
    private var sizeDigits = 0
    /// The bytes of the chunk that are still to come.
    private var remaining = 0
    private var total = 0
    private var extensionBytes = 0
    private var trailerBytes = 0
    private var trailerCount = 0

    init(limits: ParserLimits) {
        self.limits = limits
        bodyLimit = limits.body
    }

    /// - Parameter consumed: the number of bytes used, also when an error is thrown.
    /// - Returns: nil when more bytes are needed.
    mutating func next(in bytes: UnsafeRawBufferPointer, consumed: inout Int) throws(ParserError) -> Event? {
        var index = 0
        defer { consumed = index }
        while index < bytes.count {
            if case .data = state {
                let start = index
                let count = min(remaining, bytes.count - start)
                remaining -= count
                index += count
                if remaining == 0 { state = .dataCarriageReturn }
                return .data(start..<index)
            }
            let byte = bytes[index]
            index += 1
            try take(byte)
            if case .ended = state { return .end }
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) throws(ParserError) {
        switch state {
        case .sizeStart, .size, .sizeLineFeed: try takeSize(byte)
        case .data, .ended: break
        case .dataCarriageReturn:
            guard byte == 0x0D else { throw .malformed("The data of a chunk has to end with CRLF.") }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == 0x0A else { throw .malformed("The data of a chunk has to end with CRLF.") }
            state = .sizeStart
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .endLineFeed: try takeTrailer(byte)
        default: try takeExtension(byte)
        }
    }

    private mutating func takeSize(_ byte: UInt8) throws(ParserError) {
        if case .sizeLineFeed = state {
            guard byte == 0x0A else { throw .malformed("A chunk size line has to end with CRLF.") }
            state = remaining == 0 ? .trailerStart : .data
            return
        }
        if let digit = Hexadecimal.value(of: byte) {
            if case .sizeStart = state {
                remaining = 0
                sizeDigits = 0
            }
            sizeDigits += 1
            // 15 digits stay below 2^60, which is far more than any body here.
            guard sizeDigits <= 15 else { throw .malformed("A chunk size may have 15 digits at most.") }
            remaining = remaining << 4 | Int(digit)
            state = .size
            return
        }
        guard case .size = state else { throw .malformed("A chunk size has to be hexadecimal digits.") }
        guard remaining <= bodyLimit - total else {
            throw .tooLarge(limit: bodyLimit)
        }
        total += remaining
        switch byte {
        case 0x0D: state = .sizeLineFeed
        case UInt8(ascii: ";"):
            state = .extensionNameStart
            try countExtensionByte()
        case 0x20, 0x09: state = .beforeExtension
        default: throw .malformed("A chunk size has to be hexadecimal digits.")
        }
    }

    private mutating func countExtensionByte() throws(ParserError) {
        extensionBytes += 1
        guard extensionBytes <= limits.chunkExtensions else {
            throw .malformed("The chunk extensions are longer than the \(limits.chunkExtensions) bytes allowed.")
        }
    }

    /// chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ) (RFC 9112 §7.1.1).
    private mutating func takeExtension(_ byte: UInt8) throws(ParserError) {
        try countExtensionByte()
        let isBlank = ByteClass.isBlank(byte)
        switch state {
        case .beforeExtension where isBlank, .extensionNameStart where isBlank, .extensionValueStart where isBlank,
            .afterExtensionName where isBlank:
            return
        case .beforeExtension where byte == UInt8(ascii: ";"): state = .extensionNameStart
        case .extensionNameStart where ByteClass.isToken(byte): state = .extensionName
        case .extensionName where ByteClass.isToken(byte): return
        case .extensionName where isBlank: state = .afterExtensionName
        case .extensionName where byte == UInt8(ascii: "="), .afterExtensionName where byte == UInt8(ascii: "="):
            state = .extensionValueStart
        case .afterExtensionName where byte == UInt8(ascii: ";"): state = .extensionNameStart
        case .extensionValueStart where ByteClass.isToken(byte): state = .extensionValue
        case .extensionValueStart where byte == UInt8(ascii: "\""): state = .quotedValue
        case .extensionValue where ByteClass.isToken(byte): return
        case .extensionName where byte == 0x0D, .extensionValue where byte == 0x0D,
            .afterQuotedValue where byte == 0x0D:
            state = .sizeLineFeed
        case .extensionName where byte == UInt8(ascii: ";"), .extensionValue where byte == UInt8(ascii: ";"),
            .afterQuotedValue where byte == UInt8(ascii: ";"):
            state = .extensionNameStart
        case .extensionValue where isBlank, .afterQuotedValue where isBlank: state = .beforeExtension
        case .quotedValue where byte == UInt8(ascii: "\""): state = .afterQuotedValue
        case .quotedValue where byte == UInt8(ascii: "\\"): state = .quotedPair
        case .quotedValue where ByteClass.isFieldContent(byte): return
        case .quotedPair where ByteClass.isFieldContent(byte): state = .quotedValue
        default: throw .malformed("A chunk extension has to be ;name, ;name=token or ;name=\"quoted text\".")
        }
    }

    /// trailer-section = *( field-line CRLF ) (RFC 9112 §7.1.2).
    private mutating func takeTrailer(_ byte: UInt8) throws(ParserError) {
        // The empty line that ends the section is no part of a field.
        if case .trailerStart = state, byte == 0x0D {
            state = .endLineFeed
            return
        }
        if case .endLineFeed = state, byte == 0x0A {
            state = .ended
            return
        }
        trailerBytes += 1
        guard trailerBytes <= limits.trailers, trailerCount <= limits.fieldCount else {
            throw ParserError(.requestHeaderFieldsTooLarge, "The trailer fields exceed \(limits.trailers) bytes.")
        }
        switch state {
        case .trailerStart where ByteClass.isToken(byte):
            trailerCount += 1
            state = .trailerName
        case .trailerName where ByteClass.isToken(byte): return
        case .trailerName where byte == UInt8(ascii: ":"): state = .trailerValue
        case .trailerValue where ByteClass.isFieldContent(byte): return
        case .trailerValue where byte == 0x0D: state = .trailerLineFeed
        case .trailerLineFeed where byte == 0x0A: state = .trailerStart
        default: throw .malformed("A trailer field line has to be name: value and end with CRLF.")
        }
    }
}
