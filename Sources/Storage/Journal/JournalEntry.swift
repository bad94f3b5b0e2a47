/// A photo or a row in the journal.
enum JournalEntry: Hashable, Sendable {
    /// A file of the photo store.
    case photo(PhotoFile)
    /// The values of `ScanRecord.insertion`.
    case row([SQLValue])
}

/// The end of an entry in the journal. Positions in the same file are ordered.
struct JournalPosition: Hashable, Sendable {
    var file: String
    /// How many times the file has been restarted.
    var generation: Int64
    /// Bytes from the beginning of the file.
    var offset: Int64

    func isAfter(generation: Int64, offset: Int64) -> Bool {
        (self.generation, self.offset) > (generation, offset)
    }
}

extension [SQLValue] {
    /// The format of values in the journal. Each value follows a byte for its kind. Texts (UTF-8) and bytes also have a
    /// length of 32 bits. Numbers are little endian.
    var journalled: [UInt8] {
        reduce(into: []) { bytes, value in
            switch value {
            case .null:
                bytes.append(0)
            case .integer(let integer):
                bytes.append(1)
                Swift.withUnsafeBytes(of: integer.littleEndian) { bytes += $0 }
            case .text(let text):
                bytes.append(2)
                Swift.withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { bytes += $0 }
                bytes += text.utf8
            case .bytes(let content):
                bytes.append(3)
                Swift.withUnsafeBytes(of: UInt32(content.count).littleEndian) { bytes += $0 }
                bytes += content
            }
        }
    }

    /// Reads the format of `journalled`. Nil for other bytes.
    init?(journalled bytes: [UInt8]) {
        self = []
        var rest = bytes[...]
        func number(_ count: Int) -> UInt64? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        while let kind = rest.popFirst() {
            switch kind {
            case 0:
                append(.null)
            case 1:
                guard let integer = number(8) else { return nil }
                append(.integer(Int64(bitPattern: integer)))
            case 2, 3:
                guard let count = number(4).map({ Int($0) }), rest.count >= count else { return nil }
                let content = rest.prefix(count)
                append(kind == 2 ? .text(String(decoding: content, as: UTF8.self)) : .bytes([UInt8](content)))
                rest = rest.dropFirst(count)
            default:
                return nil
            }
        }
    }
}
