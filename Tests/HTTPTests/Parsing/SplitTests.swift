import Testing
@testable import HTTP

/// The result does not depend on where the network splits the bytes.
@Suite struct SplitTests {
    static let stream = Array(
        ("\r\nGET /a%20b/../c?x=1 HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\n"
            + "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello"
            + "PUT /q HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3;e=\"q\\\"\"\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n"
            + "GET http://h:80/z HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").utf8)

    @Test func everyCut() throws {
        let whole = try parse(Self.stream)
        #expect(whole.map(\.path) == ["/c", "/p", "/q", "/z"])
        #expect(whole.map { String(decoding: $0.body, as: UTF8.self) } == ["", "hello", "abc0123456789", ""])
        for cut in 1..<Self.stream.count {
            #expect(try parse(Self.stream, cuts: [cut]) == whole, "cut at \(cut)")
        }
    }

    @Test func everyByteAlone() throws {
        #expect(try parse(Self.stream, cuts: Array(1..<Self.stream.count)) == parse(Self.stream))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\rX: y\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX\r\n",
    ])
    func errorsAreTheSameAtEveryCut(_ text: String) {
        let bytes = Array(text.utf8)
        for cut in 1..<bytes.count {
            #expect(throws: ParserError.self, "cut at \(cut)") { try parse(bytes, cuts: [cut]) }
        }
    }
}
