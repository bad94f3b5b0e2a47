/// Reads the header of one part (RFC 2045 §3, RFC 7578 §4.2).
struct MultipartHeaderParser {
    /// The number of the part for errors, counted from 0.
    let part: Int

    /// - Parameter bytes: lines that end in CRLF, the last of them empty.
    func parse(_ bytes: [UInt8]) throws(MultipartError) -> MultipartHead {
        let headers = try fields(bytes)
        guard let value = headers["Content-Disposition"] else {
            throw .malformedDisposition(part: part, value: nil)
        }
        guard headers.values(for: "Content-Disposition").count == 1, let disposition = ContentDisposition(value),
            disposition.type == "form-data"
        else { throw .malformedDisposition(part: part, value: value) }
        guard let name = disposition.parameters["name"] else { throw .missingName(part: part) }
        if let encoding = headers["Content-Transfer-Encoding"],
            !["binary", "8bit", "7bit"].contains(encoding.lowercased())
        {
            throw .unsupportedTransferEncoding(part: part, encoding)
        }
        return MultipartHead(name: name, filename: disposition.filename, headers: headers)
    }

    private func fields(_ bytes: [UInt8]) throws(MultipartError) -> HeaderFields {
        var headers = HeaderFields()
        for line in try lines(bytes) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(ByteClass.isToken), line[colon...].allSatisfy(ByteClass.isFieldContent)
            else { throw malformed(line[...]) }
            headers.append(
                String(decoding: WeightedList.trimmed(line[(colon + 1)...]), as: UTF8.self),
                for: String(decoding: line[..<colon], as: UTF8.self))
        }
        return headers
    }

    /// The lines without line ends. A folded line (RFC 5322 §2.2.3) is joined to the one before by a space.
    private func lines(_ bytes: [UInt8]) throws(MultipartError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for line in bytes.dropLast(2).split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            guard line.last == 0x0D, line.count > 1 else { throw malformed(line) }
            let content = line.dropLast()
            guard let first = content.first, ByteClass.isBlank(first) else {
                lines.append(Array(content))
                continue
            }
            guard !lines.isEmpty else { throw malformed(line) }
            lines[lines.count - 1].append(0x20)
            lines[lines.count - 1].append(contentsOf: WeightedList.trimmed(content))
        }
        return lines
    }

    private func malformed(_ line: ArraySlice<UInt8>) -> MultipartError {
        let text = line.last == 0x0D ? line.dropLast() : line
        return .malformedHeader(part: part, line: String(decoding: text.prefix(80), as: UTF8.self))
    }
}
