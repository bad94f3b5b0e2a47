import Base
import Foundation
@testable import HTTP
import TestSupport
import Testing

@Suite struct LimitTests {
    private let hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"

    private func configuration(_ timeouts: ConnectionTimeouts) -> ServerConfiguration {
        ServerConfiguration(timeouts: timeouts)
    }

    @Test func aHeadThatDripsIsAnswered408() async throws {
        let timeouts = ConnectionTimeouts(header: .milliseconds(200), linger: .seconds(600))
        try await withServer(.sample, configuration: configuration(timeouts)) { port, _ in
            let all = try await onThread {
                let client = try RawClient(port: port)
                // Each byte comes in time, but the whole head takes too long.
                try client.send("GET /hello HTTP/1.1\r\nHost: a\r\nX: ")
                try client.drip(UInt8(ascii: "y"), milliseconds: 20)
                client.shutdownWriting()
                return RawResponse.parse(try client.receiveAll())
            }
            #expect(all.map(\.status) == [408])
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func aRequestWithAMalformedBodyIsAnsweredAndRecordedLikeOthers(_ method: String) async throws {
        final class Observer: ServerObserver {
            let completed = Locked<[String]>([])
            func requestCompleted(_ record: RequestRecord) {
                completed.withLock { $0.append("\(record.id) \(record.status.code)") }
            }
        }
        let observer = Observer()
        try await withServer(.sample, observer: observer) { port, _ in
            let answer = try await onThread {
                let client = try RawClient(port: port)
                try client.send(
                    "\(method) /hello HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\nzz\r\n")
                return String(decoding: try client.receiveAll(), as: UTF8.self)
            }
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("\r\nX-Request-Id: mine\r\n"), "\(answer)")
            #expect(answer.contains("\r\nConnection: close\r\n"), "\(answer)")
            #expect(answer.hasSuffix("\r\n\r\n") == (method == "HEAD"), "\(answer)")
        }
        #expect(observer.completed.withLock { $0 } == ["mine 400"])
    }

    @Test(arguments: ["/echo", "/inline"])
    func aRequestWhoseClientLeavesIsRecorded(_ path: String) async throws {
        final class Observer: ServerObserver {
            let received = Counter()
            let statuses = Locked<[Int]>([])
            func bytesReceived(_ count: Int) { received.add(count) }
            func requestCompleted(_ record: RequestRecord) { statuses.withLock { $0.append(record.status.code) } }
        }
        let observer = Observer()
        try await withServer(.sample, observer: observer) { port, _ in
            let head = "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"
            let client = try await openClient(port, sending: head + "abc")
            try await eventually { observer.received.value == head.utf8.count + 3 }
            client.reset()
            try await eventually { observer.statuses.withLock { $0 } == [499] }
        }
    }

    @Test(arguments: ["/echo", "/inline"])
    func aBodyThatStopsIsAnswered408(_ path: String) async throws {
        let timeouts = ConnectionTimeouts(body: .milliseconds(100))
        try await withServer(.sample, configuration: configuration(timeouts)) { port, _ in
            let all = try await onThread {
                let client = try RawClient(port: port)
                try client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
                return RawResponse.parse(try client.receiveAll())
            }
            #expect(all.map(\.status) == [408])
            #expect(all.first?.headers["connection"] == "close")
        }
    }

    @Test func anIdleConnectionIsClosedWithoutAWord() async throws {
        let timeouts = ConnectionTimeouts(idle: .milliseconds(100))
        try await withServer(.sample, configuration: configuration(timeouts)) { port, _ in
            try await onThread { [hello] in
                let silent = try RawClient(port: port)
                #expect(try silent.receive().isEmpty)
                // A busy machine may delay the client so much that the server closes before the client has sent
                // anything.
                let isClosedAfterItsAnswer = (0..<50).contains { _ in
                    guard let client = try? RawClient(port: port), (try? client.send(hello)) != nil,
                        let answer = try? client.responses(1)[0]
                    else { return false }
                    return answer.status == 200 && (try? client.receive().isEmpty) == true
                }
                #expect(isClosedAfterItsAnswer)
            }
        }
    }

    @Test func aReaderThatStopsIsDropped() async throws {
        var router = Router()
        let big = [UInt8](repeating: 1, count: 32 << 20)
        router.get("/big", .inline { _ in .bytes(big, type: .octetStream) })
        let timeouts = ConnectionTimeouts(write: .milliseconds(100))
        try await withServer(router, configuration: configuration(timeouts)) { port, server in
            let client = try await openClient(port, sending: "GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually { server.connections == 0 }
            client.close()
        }
    }

    /// Each part of a file that waits to be sent holds a descriptor.
    @Test func rangesOfAFileThatNobodyReadsAreNotAnsweredAhead() async throws {
        let folder = try TemporaryFolder()
        try folder.write([UInt8](repeating: 1, count: 32 << 20), "big")
        let opened = Counter()
        var router = Router()
        router.get(
            "/big",
            .inline { request in
                opened.add()
                return Representation(.file(try FileRegion(path: folder.path + "/big")), type: .octetStream)
                    .response(to: request)
            })
        try await withServer(router) { port, server in
            let request = "GET /big HTTP/1.1\r\nHost: a\r\nRange: bytes=0-16000000,16000002-32000000\r\n\r\n"
            let client = try await openClient(port, sending: String(repeating: request, count: 100))
            try await eventually { opened.value > 0 }
            try await Task.sleep(for: .milliseconds(200))
            #expect(opened.value == 1)
            client.reset()
            try await eventually { server.connections == 0 }
        }
    }

    @Test func aSlowReaderOfAStreamHoldsItsWriterBack() async throws {
        let written = Counter()
        var router = Router()
        router.get(
            "/endless",
            .asynchronous { _ in
                Response(
                    body: .stream(length: nil) {
                        while true {
                            try await $0.write([UInt8](repeating: 1, count: 65536))
                            written.add(65536)
                        }
                    })
            })
        try await withServer(router) { port, server in
            let client = try await openClient(port, sending: "GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
            // The writer stops by itself. The number of written bytes no longer grows.
            try await eventually {
                let before = written.value
                try await Task.sleep(for: .milliseconds(100))
                return before > 0 && written.value == before
            }
            #expect(written.value < 64 << 20)
            client.reset()
            try await eventually { server.connections == 0 }
        }
    }

    @Test func tooManyConnectionsAreToldSo() async throws {
        let configuration = ServerConfiguration(maxConnections: 2)
        try await withServer(.sample, configuration: configuration) { port, server in
            try await onThread { [hello] in
                let first = try RawClient(port: port)
                let second = try RawClient(port: port)
                for client in [first, second] {
                    try client.send(hello)
                    #expect(try client.responses(1)[0].status == 200)
                }
                let third = try RawClient(port: port)
                let refusal = try third.responses(1)[0]
                #expect(refusal.status == 503)
                #expect(refusal.headers["retry-after"] != nil)
                third.close()
                first.close()
                second.close()
            }
            try await eventually { server.connections == 0 }
            #expect(try await exchange(port, hello).map(\.status) == [200])
        }
    }

    @Test(arguments: [(1_048_576, nil), (21_024, nil), (21_023, 19_999), (1024, 512)])
    func connectionsLeaveDescriptorsForFiles(limit: Int, room: Int?) {
        #expect(DescriptorLimit.room(forConnections: 20_000, limit: limit) == room)
    }

    @Test func aMegabyteOfHeadersIsRefused() async throws {
        try await withServer(.sample) { port, server in
            let all = try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
                let line = Array(("X: " + String(repeating: "y", count: 1000) + "\r\n").utf8)
                for _ in 0..<1000 { do { try client.send(line) } catch { break } }
                return try client.responses(1)
            }
            #expect(all.map(\.status) == [431])
            try await eventually { server.connections == 0 }
        }
    }

    /// Pages of other origins can read this refusal, and the client's id names it, as with every other.
    @Test(arguments: ["Content-Length: 1048577\r\n", "Expect: 100-continue\r\nContent-Length: 1048577\r\n"])
    func aBodyThatIsAnnouncedAsTooLargeIsRefusedThroughTheMiddleware(_ fields: String) async throws {
        let middleware = [CORSMiddleware(origins: .listed(["https://zoo.example"]))]
        let configuration = ServerConfiguration(limits: ParserLimits(body: 1 << 20))
        try await withServer(.sample, configuration: configuration, middleware: middleware) { port, _ in
            for path in ["/echo", "/hello", "/nothing"] {
                let head = "POST \(path) HTTP/1.1\r\nHost: a\r\nOrigin: https://zoo.example\r\nX-Request-Id: r1\r\n"
                let responses = try await exchange(port, head + fields + "\r\n")
                #expect(responses.map(\.status) == [413])
                #expect(responses.first?.headers["access-control-allow-origin"] == "https://zoo.example")
                #expect(responses.first?.headers["x-request-id"] == "r1")
                #expect(responses.first?.headers["connection"] == "close")
            }
        }
    }
}
