import Base

/// A Content-Disposition value (RFC 6266, RFC 7578 §4.2). Type and parameter names are in lower case.
struct ContentDisposition: Hashable {
    let type: String
    private(set) var parameters: [String: String] = [:]

    /// Reads `type; name=value; name="quoted"`; nil if the text has another form or a parameter twice.
    ///
    /// In a quoted value a backslash escapes only `"` and `\`, because old browsers sent whole Windows paths unescaped.
    init?(_ text: String) {
        var scanner = FieldScanner(text)
        guard let type = scanner.token() else { return nil }
        self.type = type.lowercased()
        while true {
            scanner.skipBlanks()
            if scanner.isAtEnd { return }
            guard scanner.take(UInt8(ascii: ";")) else { return nil }
            scanner.skipBlanks()
            if scanner.isAtEnd { return }
            guard let name = scanner.token()?.lowercased() else { return nil }
            scanner.skipBlanks()
            guard scanner.take(UInt8(ascii: "=")) else { return nil }
            scanner.skipBlanks()
            guard let value = Self.value(&scanner), parameters.updateValue(value, forKey: name) == nil else {
                return nil
            }
        }
    }

    private static func value(_ scanner: inout FieldScanner) -> String? {
        if scanner.isNext(UInt8(ascii: "\"")) {
            return scanner.quotedString { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        }
        // Clients send non-ASCII names unquoted, so everything up to the next ";" is taken.
        return scanner.text { $0 != UInt8(ascii: ";") && !ByteClass.isBlank($0) }
    }

    /// The value of `filename*` (RFC 8187, which RFC 6266 §4.3 prefers) if it is readable, otherwise of `filename`.
    var filename: String? {
        parameters["filename*"].flatMap(Self.extendedValue) ?? parameters["filename"]
    }

    /// Reads `UTF-8'language'percent-encoded` (RFC 8187 §3.2).
    private static func extendedValue(_ text: String) -> String? {
        let pieces = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, pieces[0].lowercased() == "utf-8" else { return nil }
        return PercentCoding.decode(pieces[2].utf8)
    }
}
