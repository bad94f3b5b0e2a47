/// The elements of a field such as Accept with their weights (RFC 9110 §12.4.2).
package struct WeightedList: Hashable, Sendable {
    package struct Element: Hashable, Sendable {
        /// The value in lower case.
        package let value: String
        /// The parameters before the weight, with names in lower case.
        package let parameters: [MediaType.Parameter]
        /// The weight in thousandths, 0 to 1000.
        package let quality: Int
    }

    /// The elements in the order of the field. Those with a malformed weight are left out.
    package let elements: [Element]

    /// Reads a field; nil if it is absent.
    package init?(_ name: String, in headers: HeaderFields) {
        let values = headers.values(for: name)
        guard !values.isEmpty else { return nil }
        self.init(parsing: values.joined(separator: ","))
    }

    package init(parsing text: String) {
        elements = Self.elements(of: [text]).compactMap(Self.element)
    }

    /// The elements of all lines of a field.
    static func elements(of lines: [String]) -> [ArraySlice<UInt8>] {
        split(Array(lines.joined(separator: ",").utf8)[...], at: UInt8(ascii: ","))
    }

    private static func element(_ text: ArraySlice<UInt8>) -> Element? {
        let pieces = split(text, at: UInt8(ascii: ";"))
        guard let value = pieces.first, !value.isEmpty else { return nil }
        var parameters: [MediaType.Parameter] = []
        for piece in pieces.dropFirst() where !piece.isEmpty {
            let equals = piece.firstIndex(of: UInt8(ascii: "=")) ?? piece.endIndex
            let name = String(decoding: piece[..<equals], as: UTF8.self).lowercased()
            let content = piece[equals...].dropFirst()
            if name == "q" {
                guard let quality = quality(content) else { return nil }
                return Element(value: lowercased(value), parameters: parameters, quality: quality)
            }
            parameters.append(MediaType.Parameter(name: name, value: unquoted(content)))
        }
        return Element(value: lowercased(value), parameters: parameters, quality: 1000)
    }

    /// `qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )`
    private static func quality(_ text: ArraySlice<UInt8>) -> Int? {
        guard let first = text.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), text.count <= 5 else {
            return nil
        }
        let rest = text.dropFirst()
        guard rest.isEmpty || rest.first == UInt8(ascii: "."), rest.dropFirst().allSatisfy(ByteClass.isDigit) else {
            return nil
        }
        var quality = Int(first - UInt8(ascii: "0")) * 1000
        var unit = 100
        for digit in rest.dropFirst() {
            quality += Int(digit - UInt8(ascii: "0")) * unit
            unit /= 10
        }
        return quality <= 1000 ? quality : nil
    }

    /// Splits outside quotes and removes the blanks around each piece.
    package static func split(_ text: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        var isQuoted = false
        var index = start
        while index < text.endIndex {
            let byte = text[index]
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                index += 1
            } else if !isQuoted, byte == separator {
                pieces.append(trimmed(text[start..<index]))
                start = index + 1
            }
            index += 1
        }
        pieces.append(trimmed(text[start...]))
        return pieces
    }

    /// The content of a quoted-string; other text stays as it is (RFC 9110 §5.6.4).
    package static func unquoted(_ text: ArraySlice<UInt8>) -> String {
        guard text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") else {
            return String(decoding: text, as: UTF8.self)
        }
        var content: [UInt8] = []
        var isEscaped = false
        for byte in text.dropFirst().dropLast() {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                content.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// The bytes without blanks at either end.
    package static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: ByteClass.isBlank)
        while let last = bytes.last, ByteClass.isBlank(last) { bytes.removeLast() }
        return bytes
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map(ByteClass.lowercased), as: UTF8.self)
    }
}
