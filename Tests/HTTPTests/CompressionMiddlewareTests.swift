import HTTP
import Testing

@Suite("Compression middleware")
struct CompressionMiddlewareTests {
    static let content = Array(String(repeating: "{\"breed\":\"siamese\"},", count: 100).utf8)
    static let gzip: HeaderFields = ["Accept-Encoding": "gzip"]

    static func json(_ headers: HeaderFields = [:], status: Status = .ok, _ body: [UInt8] = content) -> Response {
        var response = Response.bytes(body, type: .json, status: status)
        for (name, value) in headers { response.headers[name] = value }
        return response
    }

    static func packed(
        _ response: Response, _ headers: HeaderFields = gzip,
        _ middleware: CompressionMiddleware = CompressionMiddleware()
    ) -> Response {
        var response = response
        middleware.after(Request(headers: headers), &response)
        return response
    }

    @Test("compresses suitable content, weakens the tag and sets Vary")
    func packs() async throws {
        let response = Self.packed(Self.json(["ETag": "\"v1\"", "Content-Length": "2000", "Accept-Ranges": "bytes"]))
        #expect(response.headers["Content-Encoding"] == "gzip")
        #expect(response.headers["ETag"] == "W/\"v1\"")
        #expect(response.headers["Vary"] == "Accept-Encoding")
        #expect(!response.headers.contains("Content-Length") && !response.headers.contains("Accept-Ranges"))
        #expect(try GzipTests.expand(try await RepresentationTests.bytes(response)) == Self.content)
    }

    @Test("sends plain content to a client that does not accept gzip, with the same Vary")
    func plain() async throws {
        for headers in [[:], ["Accept-Encoding": "br"], ["Accept-Encoding": "gzip;q=0"]] as [HeaderFields] {
            let response = Self.packed(Self.json(["ETag": "\"v1\""]), headers)
            #expect(!response.headers.contains("Content-Encoding"))
            #expect(response.headers["ETag"] == "\"v1\"")
            #expect(response.headers["Vary"] == "Accept-Encoding")
            #expect(try await RepresentationTests.bytes(response) == Self.content)
        }
    }

    @Test("leaves small, compressed, partial, picture and no-transform responses alone")
    func leavesAlone() {
        let untouched: [Response] = [
            Self.json([:], Array(Self.content.prefix(1023))), Self.json(["Content-Encoding": "br"]),
            Self.json(["Content-Range": "bytes 0-1/2"], status: .partialContent), Self.json(status: .partialContent),
            Self.json(["Cache-Control": "public, No-Transform"]), .bytes(Self.content, type: .jpeg),
            Response(body: .bytes(Self.content)), Response(status: .noContent),
        ]
        for response in untouched {
            let after = Self.packed(response)
            #expect(after.headers == response.headers)
        }
        #expect(Self.packed(Self.json([:], Array(Self.content.prefix(1024)))).headers.contains("Content-Encoding"))
    }

    @Test("packs problems too")
    func problems() {
        #expect(Self.packed(Self.json(status: .badRequest)).headers["Content-Encoding"] == "gzip")
    }

    @Test("adds Vary to 304, as the 200 would have it")
    func notModified() {
        let response = Self.packed(Response(status: .notModified, headers: ["ETag": "\"v1\""]))
        #expect(response.headers["Vary"] == "Accept-Encoding")
    }

    @Test(
        "gives a 304 the tag of the content that the client has",
        arguments: [
            (#"W/"v1""#, #"W/"v1""#), (#""v1""#, #""v1""#), (#"W/"v1", "v1""#, #""v1""#),
            (#"W/"v0", W/"v1""#, #"W/"v1""#),
            ("*", #""v1""#),
        ])
    func notModifiedTag(held: String, tag: String) {
        let response = Self.packed(
            Response(status: .notModified, headers: ["ETag": #""v1""#]),
            ["Accept-Encoding": "gzip", "If-None-Match": held])
        #expect(response.headers["ETag"] == tag)
    }

    @Test("packs large content while it is sent")
    func large() async throws {
        let response = Self.packed(Self.json(), Self.gzip, CompressionMiddleware(inlineBytes: 300))
        guard case .stream(length: nil, _) = response.body else {
            Issue.record("not streamed")
            return
        }
        #expect(try GzipTests.expand(try await RepresentationTests.bytes(response)) == Self.content)
    }

    @Test("lets every write of a stream through at once")
    func stream() async throws {
        let writes = ["first", "", "second"]
        var response = Response(headers: ["Content-Type": "text/event-stream"])
        response.body = .stream(length: nil) { writer in
            for text in writes { try await writer.write(Array(text.utf8)) }
        }
        let packed = Self.packed(response)
        guard case .stream(_, let produce) = packed.body else {
            Issue.record("not streamed")
            return
        }
        let chunks = Chunks()
        try await produce(ResponseBodyWriter { await chunks.take($0) })
        let taken = await chunks.all
        // Two writes, each with the empty block of a flush, and the trailer. No chunk is empty.
        #expect(taken.count == 3 && taken.allSatisfy { !$0.isEmpty })
        #expect(taken[0].suffix(4) == [0, 0, 0xFF, 0xFF] && taken[1].suffix(4) == [0, 0, 0xFF, 0xFF])
        #expect(try GzipTests.expand(taken.flatMap { $0 }) == Array("firstsecond".utf8))
    }

    @Test("does not hide that a stream failed")
    func failingStream() async throws {
        var response = Response(headers: ["Content-Type": "text/csv"])
        response.body = .stream(length: nil) { _ in throw ConnectionLost() }
        let packed = Self.packed(response)
        await #expect(throws: ConnectionLost.self) { try await RepresentationTests.bytes(packed) }
    }

    actor Chunks {
        private(set) var all: [[UInt8]] = []
        func take(_ chunk: [UInt8]) { all.append(chunk) }
    }
}
