import Foundation
@testable import HTTP
import TestSupport
import Testing

@Suite struct BodyTests {
    @Test(arguments: ["/echo", "/count", "/inline"])
    func readsLengthAndChunkedBodies(_ path: String) async throws {
        let expected = ["/echo": "hello", "/count": "5", "/inline": "inline"]
        try await withServer(.sample) { port, _ in
            let responses = try await exchange(
                port,
                "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
                    + "POST \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
            )
            #expect(responses.map(\.text) == [expected[path], expected[path]])
        }
    }

    @Test func aLargeBodyIsReadUnderBackPressure() async throws {
        var router = Router()
        router.post(
            "/slow",
            .asynchronous { request in
                var count = 0
                for try await chunk in request.body {
                    count += chunk.count
                    if count % 5 == 0 { try await Task.sleep(for: .milliseconds(1)) }
                }
                return .bytes(Array("\(count)".utf8), type: .text)
            })
        try await withServer(router) { port, _ in
            let size = 8 << 20
            let response = try await onThread {
                let client = try RawClient(port: port)
                try client.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
                try client.send([UInt8](repeating: 7, count: size))
                return try client.responses(1)[0]
            }
            #expect(response.text == "\(size)")
        }
    }

    /// Bodies of many sizes: copied together with a head, received in their own chunk, and at the very end of a length.
    @Test func everyByteOfABodyArrivesInItsPlace() async throws {
        try await withServer(.sample) { port, _ in
            let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            let responses = try await onThread {
                let client = try RawClient(port: port)
                let head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n"
                var rest = (Array(head.utf8) + body + Array("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n".utf8))[...]
                var size = 1
                while !rest.isEmpty {
                    try client.send(Array(rest.prefix(size)))
                    rest = rest.dropFirst(size)
                    size = size * 2 % 300_007
                }
                return try client.responses(2)
            }
            #expect(responses[0].body == body)
            #expect(responses[1].text == "hello")
        }
    }

    /// The reader starts when the last bytes have already come. It must still see the end.
    @Test(arguments: [200_000, 262_144, 262_145, 280_000, 300_000, 327_680])
    func aReaderThatStartsLateSeesTheEnd(_ size: Int) async throws {
        final class Observer: ServerObserver {
            let received = Counter()
            func bytesReceived(_ count: Int) { received.add(count) }
        }
        let observer = Observer()
        var router = Router()
        router.post(
            "/late",
            .asynchronous { request in
                try await eventually { observer.received.value >= min(size, 262_145) }
                return .bytes(Array("\(try await request.body.collect(upTo: 1 << 20).count)".utf8), type: .text)
            })
        try await withServer(router, observer: observer) { port, _ in
            let response = try await onThread {
                let client = try RawClient(port: port)
                try client.send("POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
                try client.send([UInt8](repeating: 7, count: size))
                return try client.responses(1)[0]
            }
            #expect(response.text == "\(size)")
        }
    }

    @Test func continueIsSentWhenTheBodyIsWanted() async throws {
        try await withServer(.sample) { port, _ in
            try await onThread {
                let client = try RawClient(port: port)
                try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
                let interim = String(decoding: try client.receive(), as: UTF8.self)
                #expect(interim == "HTTP/1.1 100 Continue\r\n\r\n")
                try client.send("hello")
                #expect(try client.responses(1)[0].text == "hello")
            }
        }
    }

    @Test func continueIsNotSentWhenNobodyWantsTheBody() async throws {
        try await withServer(.sample) { port, _ in
            try await onThread {
                let client = try RawClient(port: port)
                try client.send(
                    "POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
                let all = RawResponse.parse(try client.receiveAll())
                #expect(all.map(\.status) == [404])
                #expect(all[0].headers["connection"] == "close")
            }
        }
    }

    @Test func anEarlyAnswerToALargeBodyArrives() async throws {
        try await withServer(.sample) { port, _ in
            try await onThread {
                let client = try RawClient(port: port)
                try client.send("POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n")
                // The server may stop reading at any time. Its answer must not be lost.
                for _ in 0..<64 { try? client.send([UInt8](repeating: 0, count: 65536)) }
                let response = try client.responses(1)[0]
                #expect(response.status == 404)
                #expect(response.headers["connection"] == "close")
            }
        }
    }

    @Test func aSmallUnreadBodyDoesNotCostTheConnection() async throws {
        var router = Router.sample
        router.post("/ignores", .asynchronous { _ in .bytes(Array("ignored".utf8), type: .text) })
        try await withServer(router) { port, _ in
            let responses = try await exchange(
                port,
                "POST /ignores HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"
                    + String(repeating: "x", count: 100_000)
                    + "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(responses.map(\.text) == ["ignored", "hello"])
        }
    }

    @Test(arguments: [
        ("Transfer-Encoding: chunked\r\n\r\nZ\r\n", 400), ("Content-Length: 50\r\n\r\nshort", 400),
        ("Content-Length: 1048577\r\n\r\n", 413), ("Transfer-Encoding: chunked\r\n\r\n1000000\r\n", 413),
        ("Transfer-Encoding: chunked\r\n\r\nFFFFFFFFF\r\n", 413),
    ])
    func refusesABody(_ rest: String, _ status: Int) async throws {
        try await withServer(.sample) { port, _ in
            let filler = status == 413 && rest.contains("1000000") ? String(repeating: "x", count: 1_200_000) : ""
            let responses = try await exchange(port, "POST /echo HTTP/1.1\r\nHost: a\r\n\(rest)\(filler)")
            #expect(responses.map(\.status) == [status])
            #expect(responses.first?.headers["connection"] == "close")
        }
    }

    /// The sample's general limit is 1 MiB. A route may have a larger or smaller one.
    @Test func aRouteMayHaveALimitOfItsOwn() async throws {
        var router = Router.sample
        let count: @Sendable (Request) async throws -> Response = { request in
            var count = 0
            for try await chunk in request.body { count += chunk.count }
            return .bytes(Array("\(count)".utf8), type: .text)
        }
        router.post("/large/{name}", bodyLimit: 3 << 20, .asynchronous(count))
        router.post("/small", bodyLimit: 10, .asynchronous(count))
        let configuration = ServerConfiguration(limits: ParserLimits(body: 1 << 20))
        try await withServer(router, configuration: configuration) { port, _ in
            for (path, size, text) in [
                ("/large/a", 3 << 20, "3145728"), ("/large/a", (3 << 20) + 1, nil), ("/count", 1 << 20, "1048576"),
                ("/count", (1 << 20) + 1, nil), ("/small", 10, "10"), ("/small", 11, nil),
                ("/large/a/b", (1 << 20) + 1, nil),
            ] {
                let body = String(repeating: "x", count: size)
                for rest in [
                    "Content-Length: \(size)\r\n\r\n\(body)",
                    "Transfer-Encoding: chunked\r\n\r\n\(String(size, radix: 16))\r\n\(body)\r\n0\r\n\r\n",
                ] {
                    let response = try await onThread {
                        let client = try RawClient(port: port)
                        // The server may refuse and close before all is sent.
                        try? client.send("POST \(path) HTTP/1.1\r\nHost: a\r\n\(rest)")
                        return try client.responses(1)[0]
                    }
                    #expect(response.status == (text == nil ? 413 : 200), "\(path) \(size) \(rest.prefix(20))")
                    if let text { #expect(response.text == text) }
                }
            }
        }
    }

    @Test func streamsChunkedOrByLengthOrToTheEnd() async throws {
        var router = Router()
        let pieces = (0..<200).map { [UInt8](repeating: UInt8($0), count: 10_000) }
        router.get(
            "/chunked",
            .asynchronous { _ in Response(body: .stream(length: nil) { for p in pieces { try await $0.write(p) } }) })
        router.get(
            "/length",
            .inline { _ in Response(body: .stream(length: 2_000_000) { for p in pieces { try await $0.write(p) } }) })
        let expected = Array(pieces.joined())
        try await withServer(router) { port, _ in
            let responses = try await exchange(
                port, "GET /chunked HTTP/1.1\r\nHost: a\r\n\r\nGET /length HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(responses.count == 2)
            #expect(responses.allSatisfy { $0.body == expected })
            let raw = try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET /chunked HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                return try client.receiveAll()
            }
            #expect(raw.suffix(expected.count) == expected[...])
            #expect(!String(decoding: raw.prefix(400), as: UTF8.self).lowercased().contains("transfer-encoding"))
        }
    }

    @Test func aStreamThatFailsIsCutOff() async throws {
        struct Broken: Error {}
        var router = Router()
        router.get(
            "/broken",
            .asynchronous { _ in
                Response(
                    body: .stream(length: nil) {
                        try await $0.write([1, 2, 3])
                        throw Broken()
                    })
            })
        try await withServer(router) { port, _ in
            let raw = try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET /broken HTTP/1.1\r\nHost: a\r\n\r\n")
                var all: [UInt8] = []
                while let bytes = try? client.receive(), !bytes.isEmpty { all += bytes }
                return all
            }
            #expect(!raw.suffix(5).elementsEqual(Array("0\r\n\r\n".utf8)))
            #expect(RawResponse.parse(raw).isEmpty)
        }
    }

    @Test func filesAreSentInPartOrWhole() async throws {
        let name = "menagerie-http-file-\(UInt32.random(in: 0...UInt32.max))"
        let path = FileManager.default.temporaryDirectory.appending(path: name).path
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try Data(content).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        var router = Router()
        router.get("/whole", .inline { _ in Response(body: .file(try FileRegion(path: path))) })
        router.get("/part", .inline { _ in Response(body: .file(try FileRegion(path: path, offset: 10, length: 20))) })
        router.get("/missing", .inline { _ in Response(body: .file(try FileRegion(path: path + "-no"))) })
        try await withServer(router) { port, _ in
            let responses = try await exchange(
                port,
                ["part", "whole", "missing", "part"].map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            #expect(responses.map(\.status) == [200, 200, 500, 200])
            #expect(responses[1].body == content)
            #expect(responses[0].body == Array(content[10..<30]))
            #expect(responses[3].body == responses[0].body)
        }
    }

    @Test func severalRangesOfAFileAreSentInOneAnswer() async throws {
        let name = "menagerie-http-ranges-\(UInt32.random(in: 0...UInt32.max))"
        let path = FileManager.default.temporaryDirectory.appending(path: name).path
        let content = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try Data(content).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        var router = Router()
        router.get(
            "/whole", .inline { Representation(.file(try FileRegion(path: path)), type: .text).response(to: $0) })
        router.get(
            "/cut",
            .inline { request in
                let response = Representation(.file(try FileRegion(path: path)), type: .text).response(to: request)
                guard truncate(path, 1_000_000) == 0 else { throw ConnectionLost() }
                return response
            })
        try await withServer(router) { port, _ in
            let request = "HTTP/1.1\r\nHost: a\r\nRange: bytes=5-900000,-3\r\n\r\n"
            let whole = try await exchange(port, "GET /whole \(request)")[0]
            #expect(whole.status == 206)
            let first = try #require(whole.body.firstRange(of: Array("\r\n\r\n".utf8)))
            #expect(whole.body[first.upperBound...].prefix(899_996).elementsEqual(content[5...900_000]))
            #expect(whole.body.count > 899_999)
            // The announced bytes no longer exist, so the client must see that the answer is cut off.
            let cut = try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET /cut \(request)")
                var all: [UInt8] = []
                while let bytes = try? client.receive(), !bytes.isEmpty { all += bytes }
                return all
            }
            #expect(!cut.isEmpty)
            #expect(RawResponse.parse(cut).isEmpty)
        }
    }
}
