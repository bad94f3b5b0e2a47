import Testing

@testable import HTTP

@Suite("Multipart parser")
struct MultipartParserTests {
    static let type = "multipart/form-data; boundary=XX"

    static func body(_ lines: String...) -> [UInt8] { Array(lines.joined(separator: "\r\n").utf8) }

    static func parts(
        _ body: [UInt8], type: String = type, limits: MultipartLimits = MultipartLimits()
    ) throws(MultipartError) -> [MultipartPart] {
        var parser = try MultipartParser(contentType: type, limits: limits)
        var collector = MultipartParser.Collector()
        collector.take(try parser.feed(body))
        try parser.finish()
        return collector.parts
    }

    /// The body in two pieces, split at every place, and byte by byte. All must give the same result as one piece.
    static func splits(_ body: [UInt8]) -> [[[UInt8]]] {
        (0...body.count).map { [Array(body[..<$0]), Array(body[$0...])] } + [body.map { [$0] }]
    }

    static func collect(_ pieces: [[UInt8]]) throws(MultipartError) -> [String] {
        var parser = try MultipartParser(boundary: "XX")
        var result: [String] = []
        for piece in pieces {
            for event in try parser.feed(piece) {
                switch event {
                case .partBegan(let head): result.append("\(head.name)|\(head.filename ?? "-")|")
                case .partBytes(let bytes): result[result.count - 1] += String(decoding: bytes, as: UTF8.self)
                case .partEnded: result[result.count - 1] += "|end"
                }
            }
        }
        try parser.finish()
        return result
    }

    @Test("reads the parts of a form at every split point")
    func everySplit() throws {
        let body = Self.body(
            "preamble", "--X", "--XX \t", "Content-Disposition: form-data; name=\"a\"", "", "1", "--XX",
            "content-disposition:form-data; name=b; filename=\"p.jpg\"", "Content-Type: image/jpeg", "",
            "\r\r\n\r\n-\r\n--\r\n--X\r\n--Xx \n--XX --XX", "--XX",
            "Content-Disposition: form-data; name=\"empty\"", "", "", "--XX--", "epilogue --XX", "--XX", "")
        for pieces in Self.splits(body) {
            #expect(
                try Self.collect(pieces) == [
                    "a|-|1|end", "b|p.jpg|\r\r\n\r\n-\r\n--\r\n--X\r\n--Xx \n--XX --XX|end", "empty|-||end",
                ])
        }
    }

    @Test("keeps every byte value of a binary part")
    func binary() throws {
        let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ ($0 >> 8)) } + [0x0D, 0x0A, 0x0D]
        let head = Self.body(
            "--XX", "Content-Disposition: form-data; name=\"image\"", "Content-Type: image/jpeg", "", "")
        let parts = try Self.parts(head + content + Array("\r\n--XX--\r\n".utf8))
        #expect(parts.count == 1)
        #expect(parts[0].bytes == content)
        #expect(parts[0].head.headers["Content-Type"] == "image/jpeg")
    }

    @Test("takes a part whose content is left out altogether (RFC 2046 §5.1.1)")
    func partWithoutContent() throws {
        let body = Self.body("--XX", "Content-Disposition: form-data; name=a", "", "--XX--")
        for pieces in Self.splits(body) { #expect(try Self.collect(pieces) == ["a|-||end"]) }
    }

    @Test("gives back a held line end that was no boundary's")
    func heldLineEnd() throws {
        let body = Self.body("--XX", "Content-Disposition: form-data; name=a", "", "--XY", "--XX--")
        for pieces in Self.splits(body) { #expect(try Self.collect(pieces) == ["a|-|--XY|end"]) }
    }

    @Test("takes a form without parts")
    func noParts() throws {
        #expect(try Self.parts(Self.body("--XX--", "")).isEmpty)
    }

    @Test(
        "finds the boundary in the Content-Type",
        arguments: [
            "multipart/form-data; boundary=XX", "Multipart/Form-Data;boundary=\"XX\"",
            "multipart/form-data; charset=utf-8; Boundary=\"X\\X\"",
        ])
    func boundaryParameter(type: String) throws {
        let body = Self.body("--XX", "Content-Disposition: form-data; name=a", "", "1", "--XX--")
        #expect(try Self.parts(body, type: type).map(\.text) == ["1"])
    }

    @Test("takes a quoted boundary with characters that need quotes")
    func quotedBoundary() throws {
        let body = Self.body("--a b:c", "Content-Disposition: form-data; name=a", "", "1", "--a b:c--")
        #expect(try Self.parts(body, type: "multipart/form-data; boundary=\"a b:c\"").map(\.text) == ["1"])
    }

    @Test("refuses another Content-Type")
    func otherType() {
        for type in ["multipart/mixed; boundary=XX", "image/jpeg", "nonsense"] {
            #expect(throws: MultipartError.notFormData(type)) { try Self.parts([], type: type) }
        }
        #expect(throws: MultipartError.invalidBoundary(nil)) { try Self.parts([], type: "multipart/form-data") }
    }

    @Test("refuses an invalid boundary", arguments: ["", "a ", "é", String(repeating: "a", count: 71)])
    func badBoundary(text: String) {
        #expect(throws: MultipartError.invalidBoundary(text)) { try MultipartParser(boundary: text) }
    }

    @Test(
        "reads names and file names",
        arguments: [
            (#"form-data; name="a b""#, "a b", nil),
            (#"form-data; name="a\"b"; filename="c\\d""#, "a\"b", "c\\d"),
            (#"form-data; filename="C:\pets\cat.jpg"; name=x"#, "x", #"C:\pets\cat.jpg"#),
            (#"form-data; name="é"; filename="kissa ä.jpg""#, "é", "kissa ä.jpg"),
            (#"form-data; name=x; filename="a.jpg"; filename*=UTF-8''%e2%82%ac.jpg"#, "x", "€.jpg"),
            (#"form-data; name=x; filename="a.jpg"; filename*=latin1''%e4.jpg"#, "x", "a.jpg"),
            (#"form-data; name=x; filename=kissa-ä.jpg;"#, "x", "kissa-ä.jpg"),
            (#"FORM-DATA; NAME="x"; filename="a;b.jpg""#, "x", "a;b.jpg"),
            (#"form-data; name=x; filename="""#, "x", ""),
            (#"form-data; name="""#, "", nil),
        ] as [(String, String, String?)])
    func names(disposition: String, name: String, filename: String?) throws {
        let body = Self.body("--XX", "Content-Disposition: \(disposition)", "", "1", "--XX--")
        let part = try #require(try Self.parts(body).first)
        #expect(part.name == name)
        #expect(part.head.filename == filename)
    }

    @Test("joins folded header lines")
    func folded() throws {
        let body = Self.body("--XX", "Content-Disposition: form-data;", "\tname=a", "", "1", "--XX--")
        #expect(try Self.parts(body).map(\.name) == ["a"])
    }

    @Test(
        "refuses a header that is none",
        arguments: [
            ("no colon", MultipartError.malformedHeader(part: 0, line: "no colon")),
            (": x", .malformedHeader(part: 0, line: ": x")),
            ("A : x", .malformedHeader(part: 0, line: "A : x")),
            (" folded: x", .malformedHeader(part: 0, line: " folded: x")),
            ("A: x\ny", .malformedHeader(part: 0, line: "A: x")),
            ("A: x\u{0}", .malformedHeader(part: 0, line: "A: x\u{0}")),
            ("A: x", .malformedDisposition(part: 0, value: nil)),
            ("Content-Disposition: attachment; name=a", .malformedDisposition(part: 0, value: "attachment; name=a")),
            ("Content-Disposition: form-data; name=\"a", .malformedDisposition(part: 0, value: "form-data; name=\"a")),
            (
                "Content-Disposition: form-data; name=a; name=b",
                .malformedDisposition(part: 0, value: "form-data; name=a; name=b")
            ),
            ("Content-Disposition: form-data", .missingName(part: 0)),
            (
                "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64",
                .unsupportedTransferEncoding(part: 0, "base64")
            ),
        ])
    func badHeader(line: String, error: MultipartError) {
        #expect(throws: error) { try Self.parts(Self.body("--XX", line, "", "1", "--XX--")) }
    }

    @Test("says where the body was cut off")
    func truncated() throws {
        let part = ["--XX", "Content-Disposition: form-data; name=a", "", "1"]
        let body = Self.body((part + part + ["--XX--"]).joined(separator: "\r\n"))
        for length in 0..<body.count {
            #expect(throws: MultipartError.self, "cut after \(length)") { try Self.parts(Array(body[..<length])) }
        }
        #expect(throws: MultipartError.unterminated(part: 1)) { try Self.parts(Array(body.dropLast(3))) }
        #expect(try Self.parts(body).count == 2)
    }

    @Test(
        "refuses what follows a boundary but is neither line end nor dashes", arguments: ["x", "-x", "\n", " x", "\rx"])
    func badDelimiter(text: String) {
        #expect(throws: MultipartError.malformedDelimiter(part: 0)) { try Self.parts(Array("--XX\(text)".utf8)) }
    }

    @Test("keeps its caps exactly")
    func limits() throws {
        let part = ["--XX", "Content-Disposition: form-data; name=a", "", "12345"]
        let one = Self.body((part + ["--XX--"]).joined(separator: "\r\n"))
        let two = Self.body((part + part + ["--XX--"]).joined(separator: "\r\n"))
        #expect(try Self.parts(two, limits: MultipartLimits(parts: 2)).count == 2)
        #expect(throws: MultipartError.tooManyParts(limit: 1)) {
            try Self.parts(two, limits: MultipartLimits(parts: 1))
        }
        #expect(try Self.parts(one, limits: MultipartLimits(partBytes: 5)).count == 1)
        #expect(throws: MultipartError.partTooLarge(part: 1, limit: 4)) {
            let short = Self.body("--XX", part[1], "", "1234", "")
            return try Self.parts(short + two, limits: MultipartLimits(partBytes: 4))
        }
        #expect(try Self.parts(one, limits: MultipartLimits(headerBytes: 42)).count == 1)
        #expect(throws: MultipartError.headerTooLarge(part: 0, limit: 41)) {
            try Self.parts(one, limits: MultipartLimits(headerBytes: 41))
        }
        #expect(try Self.parts(one, limits: MultipartLimits(totalBytes: one.count)).count == 1)
        #expect(throws: MultipartError.bodyTooLarge(limit: one.count - 1)) {
            try Self.parts(one, limits: MultipartLimits(totalBytes: one.count - 1))
        }
    }

    @Test("reads a request's body as it arrives, and answers errors with the right status")
    func request() async throws {
        let body = Self.body("--XX", "Content-Disposition: form-data; name=a", "", "1", "--XX--")
        let request = Request(method: .post, target: "/", headers: ["Content-Type": Self.type], body: body)
        #expect(try await request.multipartParts().map(\.text) == ["1"])
        #expect(MultipartError.notFormData("a/b").problem.status == .unsupportedMediaType)
        #expect(MultipartError.unterminated(part: 0).problem.status == .badRequest)
        #expect(MultipartError.partTooLarge(part: 0, limit: 1).problem.status == .contentTooLarge)
    }
}
