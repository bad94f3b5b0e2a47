import Foundation
@testable import HTTP
import Testing

@Suite("Representation")
struct RepresentationTests {
    static let text = Array("0123456789abcdefghij".utf8)
    static let validators = Validators(
        entityTag: EntityTag("v1"), lastModified: HTTPDate(secondsSinceEpoch: 784_111_777))
    static let headers: HeaderFields = ["Cache-Control": "no-cache", "Content-Language": "fi", "Vary": "Accept"]

    static func answer(_ headers: HeaderFields, method: Method = .get) -> Response {
        Representation(.bytes(text), type: .text, validators: validators, headers: Self.headers)
            .response(to: Request(method: method, target: "/", headers: headers))
    }

    static func bytes(_ response: Response) async throws -> [UInt8] {
        switch response.body {
        case .empty, .webSocket: return []
        case .bytes(let bytes): return bytes
        case .file(let region):
            let handle = FileHandle(fileDescriptor: region.file.descriptor, closeOnDealloc: false)
            try handle.seek(toOffset: UInt64(region.offset))
            return [UInt8](try handle.read(upToCount: region.length) ?? Data())
        case .parts(let parts):
            var all: [UInt8] = []
            for part in parts { all += try await bytes(Response(body: ResponseBody(part))) }
            return all
        case .stream(let length, let produce):
            let sink = Sink()
            try await produce(ResponseBodyWriter { await sink.take($0) })
            let bytes = await sink.bytes
            if let length { #expect(bytes.count == length) }
            return bytes
        }
    }

    actor Sink {
        private(set) var bytes: [UInt8] = []
        func take(_ more: [UInt8]) { bytes += more }
    }

    static func withFile(_ content: [UInt8], _ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try Data(content).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    @Test("answers whole with its validators")
    func whole() async throws {
        let response = Self.answer([:])
        #expect(response.status == .ok)
        #expect(response.headers["ETag"] == "\"v1\"")
        #expect(response.headers["Last-Modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(response.headers["Accept-Ranges"] == "bytes")
        #expect(response.headers["Content-Language"] == "fi")
        #expect(try await Self.bytes(response) == Self.text)
    }

    @Test("answers 304 without what describes the content")
    func notModified() {
        let response = Self.answer(["If-None-Match": "\"v1\"", "Range": "bytes=0-1"])
        #expect(response.status == .notModified)
        #expect(response.headers == ["Cache-Control": "no-cache", "Vary": "Accept", "ETag": "\"v1\""])
        guard case .empty = response.body else {
            Issue.record("a 304 has no body")
            return
        }
    }

    @Test("answers 412 before all else")
    func failed() {
        #expect(Self.answer(["If-Match": "\"v2\"", "Range": "bytes=99-"]).status == .preconditionFailed)
    }

    @Test("answers one range with 206 and Content-Range")
    func single() async throws {
        let response = Self.answer(["Range": "bytes=2-4"])
        #expect(response.status == .partialContent)
        #expect(response.headers["Content-Range"] == "bytes 2-4/20")
        #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(response.headers["ETag"] == "\"v1\"")
        #expect(try await Self.bytes(response) == Array("234".utf8))
    }

    @Test("answers a range that cannot be satisfied with 416 and the length")
    func unsatisfiable() {
        let response = Self.answer(["Range": "bytes=20-"])
        #expect(response.status == .rangeNotSatisfiable)
        #expect(response.headers["Content-Range"] == "bytes */20")
    }

    @Test("ignores Range for other methods, when If-Range does not hold, and when it is repeated")
    func ignored() {
        #expect(Self.answer(["Range": "bytes=2-4"], method: .head).status == .ok)
        #expect(Self.answer(["Range": "bytes=2-4", "If-Range": "\"v1\""]).status == .partialContent)
        #expect(Self.answer(["Range": "bytes=2-4", "If-Range": "\"v0\""]).status == .ok)
        #expect(Self.answer(["Range": "bytes=99-", "If-Range": "\"v0\""]).status == .ok)
        #expect(Self.answer(["Range": "bytes=2-4", "range": "bytes=5-6"]).status == .ok)
        #expect(Self.answer(["Range": "lines=2-4"]).status == .ok)
    }

    @Test("answers several ranges as multipart/byteranges, from memory and from a file alike")
    func several() async throws {
        try await Self.withFile(Array("--".utf8) + Self.text) { path in
            let region = try FileRegion(path: path, offset: 2)
            for content in [Representation.Content.bytes(Self.text), .file(region)] {
                let response = Representation(content, type: .text)
                    .response(to: Request(target: "/", headers: ["Range": "bytes=0-1,-2"]))
                #expect(response.status == .partialContent)
                #expect(response.headers["Content-Range"] == nil)
                let type = try #require(response.headers["Content-Type"].flatMap { MediaType($0) })
                #expect(type.essence == "multipart/byteranges")
                let boundary = try #require(type.parameter("boundary"))
                let expected = [
                    "--\(boundary)", "Content-Type: text/plain; charset=utf-8", "Content-Range: bytes 0-1/20", "", "01",
                    "--\(boundary)", "Content-Type: text/plain; charset=utf-8", "Content-Range: bytes 18-19/20", "",
                    "ij",
                    "--\(boundary)--", "",
                ].joined(separator: "\r\n")
                #expect(try await String(decoding: Self.bytes(response), as: UTF8.self) == expected)
            }
        }
    }

    @Test("answers a part of a region of a file")
    func file() async throws {
        try await Self.withFile(Array("--".utf8) + Self.text) { path in
            let region = try FileRegion(path: path, offset: 2, length: 10)
            let response = Representation(.file(region), type: .text)
                .response(to: Request(target: "/", headers: ["Range": "bytes=-3"]))
            #expect(response.headers["Content-Range"] == "bytes 7-9/10")
            #expect(try await Self.bytes(response) == Array("789".utf8))
        }
    }
}
