/// Reads the parts of a field value from its start to its end (RFC 9110 §5.6).
struct FieldScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { position == bytes.count }

    func isNext(_ byte: UInt8) -> Bool { position < bytes.count && bytes[position] == byte }

    mutating func take(_ byte: UInt8) -> Bool {
        guard isNext(byte) else { return false }
        position += 1
        return true
    }

    mutating func skipBlanks() {
        while position < bytes.count, ByteClass.isBlank(bytes[position]) { position += 1 }
    }

    mutating func token() -> String? { text(while: ByteClass.isToken) }

    /// The text up to the first byte that does not belong to it; nil if it is empty.
    mutating func text(while belongs: (UInt8) -> Bool) -> String? {
        let start = position
        while position < bytes.count, belongs(bytes[position]) { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// The content of a quoted-string; nil if none begins here, or it does not end.
    /// - Parameter isEscapable: whether a backslash before the byte is an escape. Otherwise it stands for itself.
    mutating func quotedString(isEscapable: (UInt8) -> Bool = { _ in true }) -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var content: [UInt8] = []
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), position < bytes.count, isEscapable(bytes[position]) {
                byte = bytes[position]
                position += 1
            }
            content.append(byte)
        }
        return nil
    }
}
