import Base

/// A Content-Disposition value (RFC 6266, RFC 7578 §4.2). Type and parameter names are in lower case.
struct ContentDisposition: Hashable {
    let type: String
    private(set) var parameters: [String: String] = [:]

    /// Reads `type; name=value; name="quoted"`; nil if the text has another form or a parameter twice.
    ///
    /// In a quoted value a backslash escapes only `"` and `\`, because old browsers sent whole Windows paths unescaped.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        var index = 0
        guard let type = Self.token(bytes, &index) else { return nil }
        self.type = type.lowercased()
        while true {
            Self.skipBlanks(bytes, &index)
            if index == bytes.count { return }
            guard bytes[index] == UInt8(ascii: ";") else { return nil }
            index += 1
            Self.skipBlanks(bytes, &index)
            if index == bytes.count { return }
            guard let name = Self.token(bytes, &index)?.lowercased() else { return nil }
            Self.skipBlanks(bytes, &index)
            guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { return nil }
            index += 1
            Self.skipBlanks(bytes, &index)
            guard let value = Self.value(bytes, &index), parameters.updateValue(value, forKey: name) == nil else {
                return nil
            }
        }
    }

    func parameter(_ name: String) -> String? { parameters[name] }

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

    private static func skipBlanks(_ bytes: [UInt8], _ index: inout Int) {
        while index < bytes.count, ByteClass.isBlank(bytes[index]) { index += 1 }
    }

    private static func token(_ bytes: [UInt8], _ index: inout Int) -> String? {
        let start = index
        while index < bytes.count, ByteClass.isToken(bytes[index]) { index += 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    private static func value(_ bytes: [UInt8], _ index: inout Int) -> String? {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            // Clients send non-ASCII names unquoted, so everything up to the next ";" is taken.
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: ";"), !ByteClass.isBlank(bytes[index]) {
                index += 1
            }
            return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
        }
        index += 1
        var content: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                if index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == byte {
                    content.append(bytes[index])
                    index += 1
                } else {
                    content.append(byte)
                }
            default:
                content.append(byte)
            }
        }
        return nil
    }
}
