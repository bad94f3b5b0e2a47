import Foundation
import Glibc
import Logging
import Testing
@testable import HTTP

/// A connection is accepted on the listener's loop and opened on its own loop. The drain may come in between.
@Suite struct DrainTests {
    @Test func aConnectionThatIsOpenedAfterTheDrainServesOneRequest() throws {
        var router = Router()
        router.get("/hello", .inline { _ in .bytes(Array("hello".utf8), type: .text) })
        let configuration = ServerConfiguration.standard
        let loop = try TestedEventLoop.kind.makeLoop()
        let context = LoopContext(
            loop: loop,
            responder: Responder(router: router, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
            configuration: configuration, certificates: nil, observer: nil, connectionCount: ConnectionCount(),
            bodies: BodyBudget(limit: 1 << 20, largestBody: 1 << 20))
        try loop.start()
        var ends: [CInt] = [-1, -1]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        context.connectionCount.add()
        let connection = Connection(context: context, descriptor: ends[0], remoteAddress: "")
        loop.execute { context.drain() }
        loop.execute { connection.open(isTooMany: false) }
        let request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(send(ends[1], request, request.utf8.count, CInt(MSG_NOSIGNAL)) == request.utf8.count)
        // Reads to the end of the stream. A connection that missed the drain would wait for another request.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var count = recv(ends[1], &buffer, buffer.count, 0)
        while count > 0 {
            all += buffer[..<count]
            count = recv(ends[1], &buffer, buffer.count, 0)
        }
        let text = String(decoding: all, as: UTF8.self)
        #expect(count == 0 && text.hasPrefix("HTTP/1.1 200") && text.contains("Connection: close"), "\(text)")
        loop.stop()
    }
}
