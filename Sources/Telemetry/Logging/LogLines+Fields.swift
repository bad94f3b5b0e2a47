/// The parts of a line in either format.
///
/// A value cannot forge a line or a field: characters that could end a value or control a terminal are escaped.
extension LogLines {
    /// Begins a line. Fields and ``end()`` have to follow.
    ///
    /// - Parameter level: the level's name in lower case.
    package mutating func begin(level: String, logger: String, message: String) {
        switch format {
        case .text:
            appendTime()
            append(UInt8(ascii: " "))
            append(level)
            append(UInt8(ascii: " "))
            append(logger)
            append(": ")
            appendText(message, isMessage: true)
        case .json:
            append(#"{"time":""#)
            appendTime()
            append(#"","level":""#)
            append(level)
            append(#"","logger":"#)
            appendQuoted(logger)
            append(#","message":"#)
            appendQuoted(message)
        }
    }

    /// - Parameter name: a name that the program chooses, not a client.
    package mutating func field(_ name: String, _ value: String) {
        appendName(name)
        switch format {
        case .text: appendText(value)
        case .json: appendQuoted(value)
        }
    }

    package mutating func field(_ name: String, _ value: Int) {
        appendName(name)
        appendUnquoted { $0.append(value) }
    }

    /// Adds a number with one or two decimals.
    /// - Parameter hundredths: 0 or more.
    package mutating func field(_ name: String, hundredths: Int) {
        appendName(name)
        appendUnquoted { lines in
            lines.append(hundredths / 100)
            lines.append(UInt8(ascii: "."))
            let rest = hundredths % 100
            if rest % 10 == 0 { lines.append(rest / 10) } else { lines.append(rest, width: 2) }
        }
    }

    package mutating func end() {
        if format == .json { append(UInt8(ascii: "}")) }
        append(UInt8(ascii: "\n"))
    }

    // MARK: Parts

    @inline(__always)
    private mutating func appendName(_ name: String) {
        switch format {
        case .text:
            append(UInt8(ascii: " "))
            append(name)
            append(UInt8(ascii: "="))
        case .json:
            append(UInt8(ascii: ","))
            appendQuoted(name)
            append(UInt8(ascii: ":"))
        }
    }

    /// In JSON every value is a string, even a number, so that a field has one type in all lines.
    @inline(__always)
    private mutating func appendUnquoted(_ number: (inout LogLines) -> Void) {
        if format == .json { append(UInt8(ascii: "\"")) }
        number(&self)
        if format == .json { append(UInt8(ascii: "\"")) }
    }

    /// - Parameter isMessage: whether blanks and equals signs may stay unquoted.
    private mutating func appendText(_ text: String, isMessage: Bool = false) {
        var text = text
        var (needsQuotes, isASCII) = (text.isEmpty && !isMessage, true)
        text.withUTF8 { utf8 in
            for byte in utf8 {
                let isSeparator = byte == 0x20 || byte == 0x22 || byte == 0x3D
                if byte < 0x20 || byte == 0x7F || (isSeparator && !isMessage) { needsQuotes = true }
                if byte >= 0x80 { isASCII = false }
            }
        }
        if !isASCII, !needsQuotes { needsQuotes = text.unicodeScalars.contains(where: Self.isSteering) }
        if needsQuotes { appendQuoted(text) } else { append(text) }
    }

    /// Appends a JSON string (RFC 8259 §7).
    private mutating func appendQuoted(_ text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
        }
        if isPlain {
            append(text)
        } else {
            for scalar in text.unicodeScalars { appendEscaped(scalar) }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append(#"\""#)
        case "\\": append(#"\\"#)
        case "\n": append(#"\n"#)
        case "\r": append(#"\r"#)
        case "\t": append(#"\t"#)
        case _ where Self.isSteering(scalar):
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                append(#"\u"#)
                for _ in digits.utf8.count..<4 { append(UInt8(ascii: "0")) }
                append(digits)
            }
        default: append(String(scalar))
        }
    }

    /// Whether a terminal or its reader could be misled by the character: a control, a line end, or a mark that turns
    /// the direction of writing.
    private static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}
