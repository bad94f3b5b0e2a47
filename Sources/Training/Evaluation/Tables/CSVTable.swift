/// Comma-separated values with the names of the columns in the first row (RFC 4180).
///
/// Fields may be quoted, with `""` for a quotation mark. Lines end in CRLF, LF or CR. A byte order mark is skipped.
package struct CSVTable: Sendable, Equatable {
    /// One line of the file.
    package struct Row: Sendable, Equatable {
        /// The number of its first line, counted from 1.
        package let line: Int
        /// One field for each column of the table.
        package let fields: [String]
    }

    package let columns: [String]
    package let rows: [Row]

    /// - Throws: ``CSVError``, which names the line.
    package init(_ text: String) throws(CSVError) {
        var reader = Reader(bytes: Array(text.utf8))
        guard let header = try reader.row(), header.fields != [""] else {
            throw CSVError(line: 1, fault: "the first line has to name the columns")
        }
        var seen: Set<String> = []
        for name in header.fields where !seen.insert(name).inserted {
            throw CSVError(line: header.line, fault: "the column \"\(name)\" is there twice")
        }
        var rows: [Row] = []
        while let row = try reader.row() {
            if row.fields == [""] { continue }
            guard row.fields.count == header.fields.count else {
                throw CSVError(
                    line: row.line,
                    fault: "\(row.fields.count) fields where the first line has \(header.fields.count)")
            }
            rows.append(row)
        }
        columns = header.fields
        self.rows = rows
    }

    /// The index of a column. Nil if no column has the name.
    package func index(of column: String) -> Int? { columns.firstIndex(of: column) }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0
        var line = 1

        init(bytes: [UInt8]) {
            self.bytes = bytes
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        }

        mutating func row() throws(CSVError) -> Row? {
            guard position < bytes.count else { return nil }
            let start = line
            var fields: [String] = []
            while true {
                fields.append(try field())
                guard position < bytes.count else { break }
                let byte = bytes[position]
                position += 1
                if byte == UInt8(ascii: ",") { continue }
                if byte == UInt8(ascii: "\r"), position < bytes.count, bytes[position] == UInt8(ascii: "\n") {
                    position += 1
                }
                line += 1
                break
            }
            return Row(line: start, fields: fields)
        }

        /// Stops at the comma, the end of the line or the end of the text.
        private mutating func field() throws(CSVError) -> String {
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return try plainField() }
            let start = line
            var content: [UInt8] = []
            position += 1
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                guard byte == UInt8(ascii: "\"") else {
                    if byte == UInt8(ascii: "\n") { line += 1 }
                    content.append(byte)
                    continue
                }
                if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                    content.append(byte)
                    position += 1
                    continue
                }
                guard position == bytes.count || Self.endsField(bytes[position]) else {
                    throw CSVError(line: line, fault: "text after a closing quotation mark; a comma has to follow")
                }
                return String(decoding: content, as: UTF8.self)
            }
            throw CSVError(line: start, fault: "a quotation mark is never closed")
        }

        private mutating func plainField() throws(CSVError) -> String {
            let start = position
            while position < bytes.count, !Self.endsField(bytes[position]) {
                guard bytes[position] != UInt8(ascii: "\"") else {
                    throw CSVError(
                        line: line,
                        fault: "a quotation mark inside a field that does not begin with one; write \"…\"\"…\"")
                }
                position += 1
            }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        private static func endsField(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
        }
    }
}

/// A broken rule of CSV (RFC 4180), with its place.
package struct CSVError: Error, Equatable, CustomStringConvertible {
    /// The number of the line, counted from 1.
    let line: Int
    let fault: String

    package var description: String { "line \(line): \(fault)" }
}
