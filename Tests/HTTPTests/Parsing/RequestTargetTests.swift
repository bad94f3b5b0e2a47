import Testing
@testable import HTTP

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("/", "/"), ("/a/b", "/a/b"), ("/a/./b", "/a/b"), ("/a/../b", "/b"), ("/../../etc/passwd", "/etc/passwd"),
        ("/..", "/"), ("/.", "/"), ("/a/..", "/"), ("/a/b/..", "/a/"), ("/a/.", "/a/"), ("/a/b/../", "/a/"),
        ("/%2e%2e/a", "/a"), ("/a/%2E%2e/%2e/b", "/b"), ("/..%2fa", "/..%2Fa"), ("/a%2Fb", "/a%2Fb"),
        ("//a//b", "//a//b"),
        ("//..//a", "//a"), ("/a//../b", "/a/b"), ("/%41%20%C3%A4", "/A ä"), ("/a?b/../c", "/a"), ("/...", "/..."),
        ("/.a/..b", "/.a/..b"), ("http://h", "/"), ("http://h?q", "/"), ("https://h/a/../b", "/b"), ("*", "*"),
        ("/a%3Fb", "/a?b"), ("/+", "/+"),
    ])
    func normalises(_ target: String, _ path: String) {
        #expect(RequestTarget.path(of: target) == path)
    }

    @Test(arguments: ["", "a", "/%", "/%4", "/%zz", "/%00", "/?%", "http://", "http:///a", "http://u@h/", "*a"])
    func refuses(_ target: String) {
        #expect(RequestTarget.path(of: target) == nil)
    }

    @Test(arguments: [
        ("/caf%E9?q=a", "the path “/caf%E9”"), ("/%C3%A4?q=a&lang=%ff&x=%41", "the query parameter “lang=%ff”"),
        ("/?%80", "the query parameter “%80”"), ("/%C3/%A4", "the path “/%C3/%A4”"),
    ])
    func namesThePlaceOfWhatIsNotUTF8(_ target: String, _ place: String) throws {
        #expect(RequestTarget.path(of: target) == nil)
        let error = #expect(throws: ParserError.self) { try parse("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") }
        #expect(error?.status == .badRequest)
        #expect(error?.detail.hasSuffix("are not UTF-8, in \(place).") == true, "\(error?.detail ?? "")")
    }

    @Test func queryIsDecoded() {
        let request = Request(target: "/a?q=a+b%26c&flag&x=&q=2")
        #expect(request.path == "/a")
        #expect(request.query["q"] == "a b&c")
        #expect(request.query.values(for: "q") == ["a b&c", "2"])
        #expect(request.query["flag"] == "")
        #expect(request.query.items.map(\.name) == ["q", "flag", "x", "q"])
    }
}
