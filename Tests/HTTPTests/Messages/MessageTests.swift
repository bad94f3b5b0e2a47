import Testing
@testable import HTTP

@Suite struct MessageTests {
    @Test func headerFieldsKeepOrderAndIgnoreCase() {
        var fields: HeaderFields = ["A": "1", "b": "2", "a": "3"]
        #expect(fields["a"] == "1")
        #expect(fields.values(for: "A") == ["1", "3"])
        fields["a"] = "4"
        #expect(fields.map { "\($0.name)=\($0.value)" } == ["b=2", "a=4"])
        fields["B"] = nil
        #expect(fields.count == 1)
        #expect(!fields.contains("b"))
        #expect(fields == ["A": "4"])
    }

    @Test func headerFieldsCannotSplitAResponse() {
        var fields: HeaderFields = [:]
        fields.append("a\r\nSet-Cookie: b\u{0}", for: "X")
        fields.append("c", for: "Y\r\nZ")
        fields.append("d", for: "\r\n")
        #expect(fields.map { "\($0.name)=\($0.value)" } == ["X=a  Set-Cookie: b ", "YZ=c"])
    }

    @Test(
        arguments: [
            ("image/JPEG", "image/jpeg", nil), ("multipart/form-data; boundary=abc", "multipart/form-data", "abc"),
            ("multipart/form-data;Boundary=\"a b\\\"c\" ; x=y", "multipart/form-data", "a b\"c"),
            (" text/html ;; charset=utf-8;", "text/html", nil),
        ] as [(String, String, String?)])
    func mediaTypes(_ text: String, _ essence: String, _ boundary: String?) throws {
        let type = try #require(MediaType(text))
        #expect(type.essence == essence)
        #expect(type.parameter("boundary") == boundary)
        #expect(MediaType(type.description) == type)
    }

    @Test(arguments: ["", "image", "image/", "/jpeg", "a/b c", "a/b;c", "a/b;c=\"d", "a/b;=c", "a/b/c"])
    func noMediaTypes(_ text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test func json() {
        var bytes: [UInt8] = []
        JSONValue.object(["b": [1, nil, true, 2.5] as JSONValue, "a": "q\"\\\n\u{1}ä"]).write(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":"q\"\\\n\u0001ä","b":[1,null,true,2.5]}"#)
    }

    @Test func heads() {
        var serializer = ResponseSerializer(serverName: "S")
        serializer.update(now: 0)
        func head(_ response: Response, _ framing: ResponseFraming, keepsAlive: Bool = true, old: Bool = false)
            -> [String]
        {
            let buffer = ByteBuffer(capacity: 8)
            serializer.writeHead(
                response, framing: framing, keepsAlive: keepsAlive, isVersion10: old, id: "i", into: buffer)
            return String(decoding: buffer.readable, as: UTF8.self).split(
                separator: "\r\n", omittingEmptySubsequences: false
            )
            .map(String.init)
        }
        let common = ["Server: S", "Date: Thu, 01 Jan 1970 00:00:00 GMT", "X-Request-Id: i"]
        #expect(head(Response(), .length(12345)) == ["HTTP/1.1 200 OK"] + common + ["Content-Length: 12345", "", ""])
        #expect(
            head(Response(status: .notFound, headers: ["A": "b"]), .chunked, keepsAlive: false)
                == ["HTTP/1.1 404 Not Found"] + common + [
                    "Transfer-Encoding: chunked", "Connection: close", "A: b", "", "",
                ])
        #expect(
            head(Response(status: .noContent), .none, old: true)
                == ["HTTP/1.1 204 No Content"] + common + ["Connection: keep-alive", "", ""])
        let clashing: HeaderFields = ["Content-Length": "1", "date": "x", "Transfer-Encoding": "y", "Server": "z"]
        #expect(head(Response(headers: clashing), .length(0)).count == 7)
    }
}
