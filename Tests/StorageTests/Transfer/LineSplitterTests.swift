import Testing

@testable import Storage

@Suite struct LineSplitterTests {
    private func lines(_ text: String, inPiecesOf size: Int, limit: Int = 8) -> [String] {
        var splitter = LineSplitter(limit: limit)
        let bytes = Array(text.utf8)
        var lines: [LineSplitter.Line] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            lines += splitter.feed(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        lines += splitter.finish()
        return lines.map { "\($0.number) \($0.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "too long")" }
    }

    @Test(arguments: 1...20) func linesAreTheSameHoweverTheyArrive(size: Int) {
        #expect(
            lines("one\n\n  \r\nfour\n12345678\n123456789\nseven", inPiecesOf: size) == [
                "1 one", "4 four", "5 12345678", "6 too long", "7 seven",
            ])
        #expect(lines("a\n", inPiecesOf: size) == ["1 a"])
        #expect(lines("\n1234567890", inPiecesOf: size) == ["2 too long"])
        #expect(lines("", inPiecesOf: size) == [])
    }
}
