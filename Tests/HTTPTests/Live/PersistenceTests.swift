import Foundation
@testable import HTTP
import TestSupport
import Testing

/// Keep-alive, pipelining and the ends of connections (RFC 9112 §9).
@Suite struct PersistenceTests {
    private let hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func oneConnectionServesManyRequests() async throws {
        try await withServer(.sample) { port, _ in
            try await onThread { [hello] in
                let client = try RawClient(port: port)
                for path in ["/hello", "/async", "/hello"] {
                    try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                    let response = try client.responses(1)[0]
                    #expect(response.status == 200)
                    #expect(response.text == path.dropFirst())
                    #expect(response.headers["connection"] == nil)
                }
                try client.send(hello.replacingOccurrences(of: "Host: a", with: "Host: a\r\nConnection: close"))
                #expect(try client.responses(1)[0].headers["connection"] == "close")
                #expect(try client.receive().isEmpty)
            }
        }
    }

    @Test func version10ClosesUnlessAskedNotTo() async throws {
        try await withServer(.sample) { port, _ in
            try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(try client.responses(1)[0].headers["connection"] == "keep-alive")
                try client.send("GET /hello HTTP/1.0\r\n\r\n")
                #expect(try client.responses(1)[0].headers["connection"] == "close")
                #expect(try client.receive().isEmpty)
            }
        }
    }

    @Test func fiveHundredPipelinedRequestsAreAnsweredInOrder() async throws {
        var router = Router()
        router.get("/inline/{n}", .inline { .bytes(Array(($0.parameters["n"] ?? "").utf8), type: .text) })
        router.get(
            "/async/{n}",
            .asynchronous { request in
                await Task.yield()
                return .bytes(Array((request.parameters["n"] ?? "").utf8), type: .text)
            })
        try await withServer(router) { port, _ in
            let text = (0..<500).map { number -> String in
                "GET /\(number % 7 == 0 ? "async" : "inline")/\(number) HTTP/1.1\r\nHost: a\r\n\r\n"
            }
            let responses = try await onThread {
                let client = try RawClient(port: port)
                try client.send(text.joined())
                return try client.responses(500)
            }
            #expect(responses.map(\.text) == (0..<500).map { "\($0)" })
        }
    }

    @Test func aHalfClosedClientGetsAllItsAnswers() async throws {
        try await withServer(.sample) { port, _ in
            let responses = try await exchange(
                port,
                hello + "GET /async HTTP/1.1\r\nHost: a\r\n\r\n" + hello + "GET /async HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(responses.map(\.text) == ["hello", "async", "hello", "async"])
        }
    }

    /// The server has written everything, but the kernel still holds the end of the answer.
    @Test(arguments: [300_000, 3_000_000], ["", "Connection: close\r\n"])
    func aHalfClosedClientGetsAllOfALongAnswer(length: Int, field: String) async throws {
        var router = Router()
        let answer = Response.bytes([UInt8](repeating: 0x61, count: length), type: .text)
        router.get("/long", .inline { _ in answer })
        try await withServer(router) { port, _ in
            let lengths = try await onThread {
                try (0..<4).map { turn in
                    let client = try RawClient(port: port)
                    try client.send("GET /long HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
                    client.shutdownWriting()
                    // Gives the server time to write and to end its side.
                    if turn % 2 == 1 { usleep(50_000) }
                    return try client.responses(1)[0].body.count
                }
            }
            #expect(lengths == [length, length, length, length])
        }
    }

    @Test func headHasTheLengthButNoBody() async throws {
        try await withServer(.sample) { port, _ in
            try await onThread { [hello] in
                let client = try RawClient(port: port)
                try client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                let head = try client.responses(1, toHead: true)[0]
                #expect(head.headers["content-length"] == "5")
                try client.send(hello)
                #expect(try client.responses(1)[0].text == "hello")
            }
        }
    }

    @Test func everyAnswerHasAnIdADateAndAServer() async throws {
        try await withServer(.sample) { port, _ in
            let requests = [
                "GET /hello HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine-1\r\n\r\n",
                "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /hello HTTP/1.1\r\nHost: a\r\nX-Request-Id: a b\r\n\r\n",
                "BREW /hello HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/9.1\r\n\r\n",
            ]
            let responses = try await exchange(port, requests.joined())
            #expect(responses.map(\.status) == [200, 404, 200, 501, 505])
            #expect(responses[0].headers["x-request-id"] == "mine-1")
            #expect(responses[2].headers["x-request-id"] != "a b")
            for response in responses {
                #expect(response.headers["x-request-id"]?.isEmpty == false)
                #expect(response.headers["date"]?.hasSuffix(" GMT") == true)
                #expect(response.headers["server"] == "Menagerie")
            }
            #expect(Set(responses.map { $0.headers["x-request-id"] }).count == 5)
            for response in responses where response.status >= 400 {
                #expect(response.headers["content-type"] == "application/problem+json")
                #expect(response.text.contains("\"status\":\(response.status)"))
            }
        }
    }

    @Test func unixSockets() async throws {
        let name = "menagerie-http-test-\(UInt32.random(in: 0...UInt32.max)).sock"
        let path = FileManager.default.temporaryDirectory.appending(path: name).path
        try await withServer(.sample, configuration: ServerConfiguration(unixSocketPath: path)) { _, _ in
            let response = try await onThread { [hello] in
                let client = try RawClient(unixPath: path)
                try client.send(hello)
                return try client.responses(1)[0]
            }
            #expect(response.text == "hello")
        }
    }
}
