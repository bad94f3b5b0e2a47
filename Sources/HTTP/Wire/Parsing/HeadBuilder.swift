/// Checks the lines of a head one by one and, at its end, their combination.
package struct HeadBuilder: Sendable {
    let limits: ParserLimits
    private var method = Method.get
    private var target = 0..<0
    private var isVersion10 = false
    private var isAbsolute = false
    private var lines: [HeaderFields.Line] = []
    private var fieldBytes = 0
    private var contentLength: Int?
    private var transferCodings: TransferCodings?
    private var hasHost = false
    private var wantsClose = false
    private var wantsKeepAlive = false
    private var expectsContinue = false
    private var requestID: String?

    init(limits: ParserLimits) {
        self.limits = limits
    }

    // MARK: Request line

    func checkRequestLineLength(_ length: Int, bytes: UnsafeRawBufferPointer) throws(ParserError) {
        var index = 0
        while index < bytes.count, bytes[index] != 0x20 {
            guard index < limits.method else {
                throw ParserError(.notImplemented, "No method is longer than \(limits.method) bytes here.")
            }
            index += 1
        }
        guard length <= limits.requestLine + 1 else {
            throw ParserError(.uriTooLong, "The request line is longer than the \(limits.requestLine) bytes allowed.")
        }
    }

    /// request-line = method SP request-target SP HTTP-version (RFC 9112 §3).
    mutating func readRequestLine(_ line: Range<Int>, of bytes: UnsafeRawBufferPointer) throws(ParserError) {
        var index = line.lowerBound
        while index < line.upperBound, ByteClass.isToken(bytes[index]) { index += 1 }
        let methodEnd = index
        guard methodEnd > line.lowerBound, index < line.upperBound, bytes[index] == 0x20 else {
            throw .malformed("A request line has to be: method, one space, target, one space, HTTP/1.1.")
        }
        try checkRequestLineLength(line.count, bytes: bytes)
        index += 1
        let targetStart = index
        while index < line.upperBound, ByteClass.isTarget(bytes[index]) { index += 1 }
        target = targetStart..<index
        if index < line.upperBound, bytes[index] != 0x20 { try checkAuthorityForm(line, of: bytes, from: &index) }
        guard index < line.upperBound, bytes[index] == 0x20, !target.isEmpty else {
            throw .malformed("The request target is missing or has a character that has to be percent-encoded.")
        }
        try readVersion(UnsafeRawBufferPointer(rebasing: bytes[(index + 1)..<line.upperBound]))
        method = Method.parsed(UnsafeRawBufferPointer(rebasing: bytes[line.lowerBound..<methodEnd]))
        try checkTargetForm(UnsafeRawBufferPointer(rebasing: bytes[target]))
    }

    /// The brackets of an IPv6 address are target characters only in an authority.
    private mutating func checkAuthorityForm(
        _ line: Range<Int>, of bytes: UnsafeRawBufferPointer, from index: inout Int
    ) throws(ParserError) {
        guard bytes[index] == UInt8(ascii: "["), bytes[target.lowerBound] != UInt8(ascii: "/") else { return }
        while index < line.upperBound, bytes[index] != 0x20 {
            let byte = bytes[index]
            guard ByteClass.isTarget(byte) || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") else { return }
            index += 1
        }
        target = target.lowerBound..<index
        let brackets = bytes[target].filter { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
        guard brackets.elementsEqual("[]".utf8) else { throw .malformed("The request target is malformed.") }
    }

    private mutating func readVersion(_ version: UnsafeRawBufferPointer) throws(ParserError) {
        guard version.count == 8, UnsafeRawBufferPointer(rebasing: version[..<5]).isEqual(to: "HTTP/"),
            ByteClass.isDigit(version[5]), version[6] == UInt8(ascii: "."), ByteClass.isDigit(version[7])
        else { throw .malformed("The request line has to end with HTTP/1.1 or HTTP/1.0, after one space.") }
        guard version[5] == UInt8(ascii: "1") else {
            throw ParserError(.httpVersionNotSupported, "HTTP/1.1 and HTTP/1.0 are spoken here.")
        }
        // A higher minor version is answered as 1.1 (RFC 9110 §2.5).
        isVersion10 = version[7] == UInt8(ascii: "0")
    }

    private mutating func checkTargetForm(_ target: UnsafeRawBufferPointer) throws(ParserError) {
        if method == .connect {
            guard RequestTarget.isAuthority(target), target.contains(UInt8(ascii: ":")) else {
                throw .malformed("The target of CONNECT has to be host:port.")
            }
            throw ParserError(.notImplemented, "CONNECT is not implemented: this is not a proxy.")
        }
        if target.count == 1, target[0] == UInt8(ascii: "*") {
            guard method == .options else { throw .malformed("The target * is for OPTIONS only.") }
        } else if target[0] != UInt8(ascii: "/") {
            guard RequestTarget.authority(ofAbsolute: target) != nil else {
                throw .malformed("The request target has to start with / or be an http URI.")
            }
            isAbsolute = true
        }
    }

    // MARK: Field lines

    func checkFieldLength(_ length: Int) throws(ParserError) {
        guard length <= limits.fieldLine + 1, fieldBytes + length <= limits.fields + 1 else {
            throw ParserError(
                .requestHeaderFieldsTooLarge,
                "A field line may have \(limits.fieldLine) bytes, and all of them together \(limits.fields).")
        }
    }

    /// field-line = field-name ":" OWS field-value OWS (RFC 9112 §5).
    mutating func readField(_ line: Range<Int>, of bytes: UnsafeRawBufferPointer) throws(ParserError) {
        try checkFieldLength(line.count)
        fieldBytes += line.count
        guard lines.count < limits.fieldCount else {
            throw ParserError(.requestHeaderFieldsTooLarge, "There are more than \(limits.fieldCount) field lines.")
        }
        var index = line.lowerBound
        while index < line.upperBound, ByteClass.isToken(bytes[index]) { index += 1 }
        let nameLength = index - line.lowerBound
        guard nameLength > 0, index < line.upperBound, bytes[index] == UInt8(ascii: ":") else {
            throw .malformed("A field line has to be name: value, without blanks before the colon and not folded.")
        }
        index += 1
        while index < line.upperBound, ByteClass.isBlank(bytes[index]) { index += 1 }
        var end = line.upperBound
        while end > index, ByteClass.isBlank(bytes[end - 1]) { end -= 1 }
        var position = index
        while position < end {
            guard ByteClass.isFieldContent(bytes[position]) else {
                throw .malformed("A field value holds a control character.")
            }
            position += 1
        }
        if lines.isEmpty { lines.reserveCapacity(12) }
        lines.append(
            HeaderFields.Line(
                nameStart: UInt32(truncatingIfNeeded: line.lowerBound),
                nameLength: UInt32(truncatingIfNeeded: nameLength),
                valueStart: UInt32(truncatingIfNeeded: index), valueLength: UInt32(truncatingIfNeeded: end - index)))
        let value = UnsafeRawBufferPointer(rebasing: bytes[index..<end])
        let name = UnsafeRawBufferPointer(rebasing: bytes[line.lowerBound..<line.lowerBound + nameLength])
        switch nameLength {
        case 4: if name.equals("host") { try readHost(value) }
        case 6: if name.equals("expect") { try readExpectation(value) }
        case 10: if name.equals("connection") { readConnection(value) }
        case 12: if name.equals("x-request-id") { readRequestID(value) }
        case 14: if name.equals("content-length") { try readContentLength(value) }
        case 17:
            if name.equals("transfer-encoding") {
                var codings = transferCodings ?? TransferCodings()
                try codings.read(value)
                transferCodings = codings
            }
        default: break
        }
    }

    private mutating func readHost(_ value: UnsafeRawBufferPointer) throws(ParserError) {
        guard !hasHost else { throw .malformed("There is more than one Host field.") }
        guard RequestTarget.isAuthority(value) else { throw .malformed("The Host field is empty or no host[:port].") }
        hasHost = true
    }

    /// Reads Content-Length (RFC 9110 §8.6). Even a list of equal values is refused: parties may read it differently.
    private mutating func readContentLength(_ value: UnsafeRawBufferPointer) throws(ParserError) {
        guard contentLength == nil else { throw .malformed("There is more than one Content-Length field.") }
        guard !value.isEmpty else { throw .malformed("The Content-Length field is empty.") }
        var length = 0
        for byte in value {
            guard ByteClass.isDigit(byte) else { throw .malformed("Content-Length has to be one number in digits.") }
            let (product, isTooLarge) = length.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(Int(byte &- 0x30))
            guard !isTooLarge, !overflows else { throw .malformed("Content-Length is beyond any number here.") }
            length = sum
        }
        contentLength = length
    }

    private mutating func readExpectation(_ value: UnsafeRawBufferPointer) throws(ParserError) {
        guard value.equals("100-continue") else {
            throw ParserError(.expectationFailed, "The only expectation understood is 100-continue.")
        }
        expectsContinue = true
    }

    private mutating func readConnection(_ value: UnsafeRawBufferPointer) {
        value.forEachListElement { option in
            if option.equals("close") { wantsClose = true }
            if option.equals("keep-alive") { wantsKeepAlive = true }
        }
    }

    private mutating func readRequestID(_ value: UnsafeRawBufferPointer) {
        guard (1...128).contains(value.count), value.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return }
        requestID = String(decoding: value, as: UTF8.self)
    }

    // MARK: End

    /// - Parameter bytes: the head without its last, empty line.
    mutating func finish(_ bytes: UnsafeRawBufferPointer) throws(ParserError) -> RequestHead {
        guard hasHost || isVersion10 else { throw .malformed("HTTP/1.1 asks for a Host field.") }
        let targetBytes = UnsafeRawBufferPointer(rebasing: bytes[target])
        guard var path = RequestTarget.path(of: targetBytes) else {
            throw .malformed(RequestTarget.fault(of: targetBytes))
        }
        // Sharing the String saves an allocation.
        let text = RequestTarget.isItsOwnPath(targetBytes) ? path : String(decoding: targetBytes, as: UTF8.self)
        var fields = HeaderFields(bytes: [UInt8](bytes), lines: lines)
        if isAbsolute, let authority = RequestTarget.authority(ofAbsolute: targetBytes) {
            // The received Host is ignored (RFC 9112 §3.2.2).
            fields["Host"] = String(decoding: targetBytes[authority], as: UTF8.self)
            // OPTIONS for a host without a path is about the server as a whole (RFC 9112 §3.2.4).
            if method == .options, authority.upperBound == targetBytes.count { path = "*" }
        }
        let framing = try framing()
        return RequestHead(
            method: method, target: text, path: path, isVersion10: isVersion10, fields: fields, framing: framing,
            keepsAlive: !wantsClose && (!isVersion10 || wantsKeepAlive),
            expectsContinue: expectsContinue && !isVersion10 && framing != .none,
            requestID: requestID)
    }

    /// The framing by RFC 9112 §6.3. Everything that two parties could read differently is refused (§11.2).
    private func framing() throws(ParserError) -> BodyFraming {
        if let transferCodings {
            guard contentLength == nil else {
                throw .malformed("Transfer-Encoding and Content-Length exclude each other.")
            }
            guard !isVersion10 else { throw .malformed("HTTP/1.0 has no Transfer-Encoding.") }
            try transferCodings.check()
            return .chunked
        }
        guard let contentLength, contentLength > 0 else { return .none }
        return .length(contentLength)
    }
}
