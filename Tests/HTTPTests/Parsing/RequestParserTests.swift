import Testing
@testable import HTTP

@Suite struct RequestParserTests {
    @Test func readsARequestLineAndFields() throws {
        let requests = try parse("GET /a/b?c=d HTTP/1.1\r\nHost: example.org\r\nX-Y:  two words \t\r\nEmpty:\r\n\r\n")
        let request = try #require(requests.first)
        #expect(requests.count == 1)
        #expect(request.method == "GET")
        #expect(request.target == "/a/b?c=d")
        #expect(request.path == "/a/b")
        #expect(request.fields.map(\.name) == ["Host", "X-Y", "Empty"])
        #expect(request.fields["x-y"] == "two words")
        #expect(request.fields["EMPTY"] == "")
        #expect(request.isComplete)
    }

    @Test func keepsObsoleteText() throws {
        let request = try #require(try parse("GET / HTTP/1.1\r\nHost: a\r\nName: Düsseldorf\r\n\r\n").first)
        #expect(request.fields["name"] == "Düsseldorf")
    }

    @Test(arguments: [
        ("1.1", "", true), ("1.1", "Connection: close\r\n", false), ("1.1", "Connection: foo, CLOSE\r\n", false),
        ("1.1", "Connection: keep-alive\r\n", true), ("1.0", "", false), ("1.0", "Connection: Keep-Alive\r\n", true),
        ("1.0", "Connection: keep-alive, close\r\n", false), ("1.1", "Connection: closed\r\n", true),
    ])
    func persistence(version: String, field: String, expected: Bool) throws {
        let request = try #require(try parse("GET / HTTP/\(version)\r\nHost: a\r\n\(field)\r\n").first)
        #expect(request.keepsAlive == expected)
    }

    @Test func readsPipelinedRequestsWithBodies() throws {
        let requests = try parse(
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                + "\r\nPOST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x=\"y;z\"\r\nde\r\n0\r\nT: v\r\n\r\n"
                + "GET /c HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(requests.map(\.path) == ["/a", "/b", "/c"])
        #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == ["abc", "de", ""])
        #expect(requests.allSatisfy { $0.isComplete })
    }

    @Test func acceptsALeadingEmptyLine() throws {
        #expect(try parse("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").count == 1)
        #expect(refusal(String(repeating: "\r\n", count: 20) + "GET / HTTP/1.1\r\nHost: a\r\n\r\n") == 400)
    }

    @Test(arguments: [
        "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.b-c_d:8080\r\n\r\n",
        "GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n", "GET HTTP://a?b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://[::1]:8080/b HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 000\r\n\r\n",
        "GET /%20%2F%C3%A4?%41 HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: , Chunked\r\n\r\n0\r\n\r\n",
    ])
    func accepts(_ text: String) {
        #expect(refusal(text) == nil)
    }

    @Test func theAuthorityOfAnAbsoluteTargetReplacesTheHost() throws {
        let request = try #require(try parse("GET http://a:1/b HTTP/1.1\r\nHost: other\r\n\r\n").first)
        #expect(request.fields.values(for: "host") == ["a:1"])
        #expect(request.path == "/b")
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nHost: user@a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\u{0}\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: y\u{7F}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\rz\r\n\r\n", "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\rX: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nnocolon\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX@: y\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nXé: y\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        " GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\r\n\r\n", "GET / http/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.10\r\nHost: a\r\n\r\n", "GET / HTTP/01.1\r\nHost: a\r\n\r\n", "GET / HTTP/1,1\r\nHost: a\r\n\r\n",
        "GET /#f HTTP/1.1\r\nHost: a\r\n\r\n", "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET a HTTP/1.1\r\nHost: a\r\n\r\n", "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
        "OPTIONS ** HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%4 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /?%g0 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /[ HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n",
        "G=T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "G\u{0}T / HTTP/1.1\r\nHost: a\r\n\r\n", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func refusesMalformedHeads(_ text: String) {
        #expect(refusal(text) == 400)
    }

    @Test(arguments: [
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505),
        ("PRI * HTTP/2.0\r\n\r\n", 505), ("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 501),
        ("GET / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n", 417),
    ])
    func refusesWithTheRightStatus(_ text: String, _ status: Int) {
        #expect(refusal(text) == status)
    }

    @Test func refusesGarbageBeforeALineEndArrives() {
        #expect(refusal("\u{16}\u{3}\u{1}\u{2}") == 400)
        #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\nX: \u{1}") == 400)
    }
}
