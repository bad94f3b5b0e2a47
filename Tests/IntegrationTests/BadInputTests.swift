import Foundation
import TestSupport
import Testing

/// Invalid requests, by mistake or malice. Each has its status, and nothing is stored.
@Suite struct BadInputTests {
    private func expectProblem(
        _ response: RawResponse, _ status: Int, mentions words: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(response.status == status, "\(response.text)", sourceLocation: sourceLocation)
        #expect(
            response.headers["content-type"] == "application/problem+json", "\(response.text)",
            sourceLocation: sourceLocation)
        let problem = try response.object()
        #expect(problem["status"] as? Int == status, sourceLocation: sourceLocation)
        #expect((problem["type"] as? String)?.hasPrefix("/problems/") == true, sourceLocation: sourceLocation)
        #expect(problem["title"] is String, sourceLocation: sourceLocation)
        #expect(words.isEmpty || response.text.contains(words), "\(response.text)", sourceLocation: sourceLocation)
        #expect(response.headers["x-request-id"]?.isEmpty == false, sourceLocation: sourceLocation)
    }

    @Test func wrongPhotos() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withOwnService { service in
            func total() async throws -> Int? {
                try await service.request("GET", "/history?limit=1").object()["total"] as? Int
            }
            #expect(try await service.classify(photo, query: "").status == 200)
            #expect(try await total() == 1)
            try expectProblem(await service.classify(Array("no picture".utf8), query: ""), 415)
            try expectProblem(await service.classify(Array(photo.prefix(9000)), query: ""), 422)
            try expectProblem(await service.classify([], query: ""), 400)
            try expectProblem(await service.classify(Self.bomb, query: "", type: "image/png"), 422, mentions: "50000")
            try expectProblem(await service.classify(photo, query: "", type: "text/plain"), 415, mentions: "text/plain")
            try expectProblem(await tooLarge(service), 413)
            #expect(try await total() == 1)
        }
    }

    /// Announces 40 MB and sends very little. The refusal does not wait for the rest.
    private func tooLarge(_ service: LiveService) async throws -> RawResponse {
        let head =
            "POST /classify HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\nContent-Length: \(40 << 20)"
        return try #require(try await exchange(service.port, head + "\r\n\r\nbegin").last)
    }

    @Test func wrongBodies() async throws {
        let photo = try #require(ClassifyTests.drawing)
        let form = [("Content-Type", "multipart/form-data; boundary=b")]
        try await withService { service in
            try expectProblem(
                await service.request("POST", "/classify", headers: form, body: Form.body([("photo", photo)])), 400,
                mentions: "photo")
            try expectProblem(
                await service.request("POST", "/classify", headers: form, body: Array("--b\r\ncut".utf8)), 400)
            try expectProblem(
                await service.request(
                    "POST", "/classify", headers: [("Content-Type", "multipart/form-data")], body: photo), 400)
            try expectProblem(
                await service.request(
                    "POST", "/classify", headers: form,
                    body: Form.body(Array(repeating: ("image", [0xFF]), count: 33))), 413)
            for text in [#"{"image": "***"}"#, #"{"picture": ""}"#, "{", "[]", #"{"image": 7}"#] {
                try expectProblem(await service.classify(Array(text.utf8), type: "application/json"), 400)
            }
            // A parameter in the body would have no effect.
            try expectProblem(
                await service.request(
                    "POST", "/classify?save=false", headers: form, body: Form.body([("image", photo), ("top", [0x35])])),
                400, mentions: "“top”")
            let text = #"{"image": "\#(Data(photo).base64EncodedString())", "threshold": 0.9}"#
            try expectProblem(
                await service.request(
                    "POST", "/detect", headers: [("Content-Type", "application/json")], body: Array(text.utf8)), 400,
                mentions: "“threshold”")
            try expectProblem(await service.request("POST", "/classify"), 411)
        }
    }

    @Test(arguments: [
        ("/breeds?colour=red", 400, "colour"), ("/breeds?limit=0", 400, "1 to 100"),
        ("/breeds?limit=101", 400, "1 to 100"), ("/breeds?limit=abc", 400, "abc"),
        ("/breeds?limit=%2B5", 400, "+5"), ("/breeds?limit=05", 400, "05"), ("/breeds?limit=0x5", 400, "0x5"),
        ("/breeds?trait=energy:%2B3", 400, "trait"),
        ("/breeds?limit=5&limit=6", 400, "once"), ("/breeds?cursor=zzz", 400, "cursor"),
        ("/breeds?trait=beauty", 400, "affection"), ("/breeds?kind=plant", 400, "breed"),
        ("/breeds/unicorn", 404, "unicorn"), ("/breeds/siamese?x=1", 400, "x"),
        ("/history?from=yesterday", 400, "RFC 3339"), ("/history?from=2026-02-30T00:00:00Z", 400, "RFC 3339"),
        ("/history?from=2026-01-01T00:00:00%2B24:00", 400, "RFC 3339"), ("/breeds?trait=energy:--3", 400, "trait"),
        ("/history?cursor=zzz", 400, "cursor"),
        // A cursor of /breeds.
        ("/collection?cursor=YnJlZWRzOjE6", 400, "cursor"), ("/history?cursor=YnJlZWRzOjE6", 400, "cursor"),
        ("/history/abc", 404, "abc"), ("/history/01JAAAAAAAAAAAAAAAAAAAAAAA", 404, "01J"),
        ("/history/01JAAAAAAAAAAAAAAAAAAAAAAA/photo", 404, "01J"), ("/models/unicorn", 404, "unicorn"),
        ("/unicorns", 404, ""), ("/../../etc/passwd", 404, ""), ("/%2e%2e/%2e%2e/etc/passwd", 404, ""),
    ])
    func wrongTargets(target: String, status: Int, words: String) async throws {
        try await withService { service in
            try expectProblem(await service.request("GET", target), status, mentions: words)
        }
    }

    @Test(arguments: [
        ("model=unicorn", 404, "unicorn"), ("top=0", 400, "1 to 1000"), ("top=1001", 400, "1 to 1000"),
        ("crop=round", 400, "center"), ("save=perhaps", 400, "true or false"), ("lang=sv", 400, "en"),
        ("heads=tails", 400, "presence"), ("colour=red", 400, "colour"),
    ])
    func wrongClassifyParameters(query: String, status: Int, words: String) async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withService { service in
            try expectProblem(await service.classify(photo, query: query), status, mentions: words)
        }
    }

    @Test func wrongMethodsNameTheRightOnes() async throws {
        try await withService { service in
            let put = try await service.request("PUT", "/classify", body: [])
            try expectProblem(put, 405)
            #expect(put.headers["allow"]?.contains("POST") == true)
            // The catch-all route of the page does not answer for paths of the API.
            let get = try await service.request("GET", "/classify")
            try expectProblem(get, 405, mentions: "POST")
            #expect(get.headers["allow"]?.contains("GET") == false)
            try expectProblem(await service.request("BREW", "/classify"), 501)
            let options = try await service.request("OPTIONS", "/history")
            #expect(options.status == 204)
            #expect(options.headers["allow"]?.contains("DELETE") == true)
        }
    }

    @Test func unknownPathsAreUnknownForEveryMethod() async throws {
        try await withService { service in
            for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
                let body: [UInt8]? = method == "OPTIONS" ? nil : []
                try expectProblem(
                    await service.request(method, "/nothing/at/all", body: body), 404, mentions: "/nothing/at/all")
                // A file of the page is there, so it can be read.
                let file = try await service.request(method, "/sw.js", body: body)
                #expect(file.status == (method == "OPTIONS" ? 204 : 405), "\(method)")
                #expect(file.headers["allow"] == "GET, HEAD, OPTIONS", "\(method)")
            }
        }
    }

    @Test func oversizedHeadersAreRefused() async throws {
        try await withService { service in
            let long = String(repeating: "a", count: 70_000)
            try expectProblem(await service.request("GET", "/livez", headers: [("X-Long", long)]), 431)
            try expectProblem(await service.request("GET", "/" + long), 414)
        }
    }

    /// The header of the PNG announces 50,000×50,000 pixels.
    private static let bomb: [UInt8] = {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        func chunk(_ type: String, _ body: [UInt8]) {
            let content = Array(type.utf8) + body
            var crc: UInt32 = 0xFFFF_FFFF
            for byte in content {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
            }
            bytes += withUnsafeBytes(of: UInt32(body.count).bigEndian, Array.init)
            bytes += content
            bytes += withUnsafeBytes(of: (~crc).bigEndian, Array.init)
        }
        let side = withUnsafeBytes(of: UInt32(50_000).bigEndian, Array.init)
        chunk("IHDR", side + side + [8, 2, 0, 0, 0])
        chunk("IDAT", [0x78, 0x9C, 0x63, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01])
        chunk("IEND", [])
        return bytes
    }()
}
