import Testing
@testable import HTTP

/// The end of a body (RFC 9112 §6), and attacks in which two parties disagree about it.
@Suite struct FramingTests {
    private func post(_ fields: String, _ body: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)"
    }

    @Test(arguments: [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 5\r\n", "Content-Length: +5\r\n", "Content-Length: -5\r\n", "Content-Length: 5 5\r\n",
        "Content-Length: 0x5\r\n", "Content-Length: 5.0\r\n", "Content-Length:\r\n", "Content-Length: five\r\n",
        "Content-Length: 99999999999999999999\r\n", "Content-Length: 9223372036854775808\r\n", "Content-Length : 5\r\n",
        "Transfer-Encoding: chunked, deflate\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding:\r\n", "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked;q=1\r\n", "Transfer-Encoding: \"chunked\"\r\n", "Transfer-Encoding: chu\tnked\r\n",
        "Transfer-Encoding: \u{0B}chunked\r\n",
    ])
    func refuses(_ fields: String) {
        let status = refusal(post(fields, "5\r\nhello\r\n0\r\n\r\n"))
        #expect(status == 400 || (fields.contains("\t") && status == 501))
    }

    @Test(arguments: [
        "Transfer-Encoding: pigeons\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunkedchunked\r\n",
    ])
    func doesNotKnowTheCoding(_ fields: String) {
        #expect(refusal(post(fields, "0\r\n\r\n")) == 501)
    }

    @Test func refusesTransferEncodingInVersion10() {
        #expect(refusal("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == 400)
    }

    @Test(arguments: [
        "Z\r\n", "\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n", "5 x\r\nhello\r\n", "0x5\r\nhello\r\n",
        "-5\r\nhello\r\n",
        "5\nhello\r\n", "5\rhello", "5\r\nhelloX", "5\r\nhello\n", "5;\r\nhello\r\n", "5;=x\r\nhello\r\n",
        "5;a=\r\nhello\r\n", "5;a=\"x\r\nhello\r\n", "5;a=\"x\"y\r\nhello\r\n", "5;a b\r\nhello\r\n",
        "1000000000000000\r\n", "FFFFFFFFFFFFFFFFF\r\n", "0\r\n: x\r\n\r\n", "0\r\nA : x\r\n\r\n", "0\r\n x\r\n\r\n",
        "0\r\nA: x\n\r\n", "0\r\nA: \u{0}\r\n\r\n", "0\r\n\n", "0\r\nnocolon\r\n\r\n",
    ])
    func refusesMalformedChunks(_ body: String) {
        #expect(refusal(post("Transfer-Encoding: chunked\r\n", body)) == 400)
    }

    @Test(arguments: [
        "5\r\nhello\r\n0\r\n\r\n", "05\r\nhello\r\n000\r\n\r\n", "5;a\r\nhello\r\n0\r\n\r\n",
        "5 ; a = b ;c=\"d\\\"e\"\r\nhello\r\n0;x\r\n\r\n", "2\r\nhe\r\n3\r\nllo\r\n0\r\nA: b\r\nC:\r\n\r\n",
    ])
    func decodes(_ body: String) throws {
        let request = try #require(try parse(post("Transfer-Encoding: chunked\r\n", body)).first)
        #expect(String(decoding: request.body, as: UTF8.self) == "hello")
        #expect(request.isComplete)
    }

    @Test func limits() {
        var limits = ParserLimits(
            requestLine: 64, fieldLine: 64, fields: 200, fieldCount: 5, body: 10, chunkExtensions: 16, trailers: 32)
        limits.method = 8
        let long = String(repeating: "x", count: 100)
        #expect(refusal("GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits) == 414)
        #expect(refusal("GET /\(long)", limits: limits) == 414)
        #expect(refusal(long, limits: limits) == 501)
        #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n", limits: limits) == 431)
        #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)", limits: limits) == 431)
        let many = String(repeating: "A: b\r\n", count: 5)
        #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\n\(many)\r\n", limits: limits) == 431)
        let fat = String(repeating: "A: \(String(repeating: "b", count: 58))\r\n", count: 4)
        #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\n\(fat)\r\n", limits: limits) == 431)
        #expect(refusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", limits: limits) == 413)
        #expect(refusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n", limits: limits) == nil)
        let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(refusal(chunked + "B\r\n", limits: limits) == 413)
        #expect(refusal(chunked + "6\r\nabcdef\r\n6\r\n", limits: limits) == 413)
        #expect(refusal(chunked + "1;\(long)\r\n", limits: limits) == 400)
        #expect(refusal(chunked + "0\r\nA: \(long)\r\n", limits: limits) == 431)
        limits.trailers = 0
        #expect(refusal(chunked + "0\r\nA: b\r\n\r\n", limits: limits) == 431)
        #expect(refusal(chunked + "1\r\nx\r\n0\r\n\r\n", limits: limits) == nil)
    }
}
