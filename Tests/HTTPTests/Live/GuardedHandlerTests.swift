import Base
import HTTP
import TestSupport
import Testing

@Suite struct GuardedHandlerTests {
    struct Full: ProblemConvertible {
        var problem: ProblemDetails {
            ProblemDetails(.serviceUnavailable, detail: "Full.", headers: ["Retry-After": "3"])
        }
    }

    /// `POST /guarded` refuses requests with the field `Full`. Otherwise it echoes the body.
    func router(_ handled: Counter) -> Router {
        var router = Router.sample
        router.post(
            "/guarded",
            .guarded(
                check: { if $0.headers.contains("Full") { throw Full() } },
                handler: { request in
                    handled.increment()
                    return .bytes(try await request.body.collect(upTo: 1 << 20), type: .octetStream)
                }))
        return router
    }

    final class Counter: Sendable {
        private let value = Locked(0)

        var count: Int { value.withLock { $0 } }

        func increment() { value.withLock { $0 += 1 } }
    }

    @Test func aRefusalDoesNotWaitForTheBody() async throws {
        let handled = Counter()
        try await withServer(router(handled)) { port, _ in
            try await onThread {
                let client = try RawClient(port: port)
                try client.send("POST /guarded HTTP/1.1\r\nHost: a\r\nFull: 1\r\nContent-Length: 100000\r\n\r\nx")
                let response = try client.responses(1)[0]
                #expect(response.status == 503 && response.headers["retry-after"] == "3")
            }
        }
        #expect(handled.count == 0)
    }

    @Test func theConnectionServesWhatFollows() async throws {
        let handled = Counter()
        try await withServer(router(handled)) { port, _ in
            let responses = try await exchange(
                port,
                "POST /guarded HTTP/1.1\r\nHost: a\r\nFull: 1\r\nContent-Length: 50000\r\n\r\n"
                    + String(repeating: "x", count: 50_000)
                    + "POST /guarded HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
                    + "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
                    // The length of a chunked body is unknown, so the connection ends after the refusal.
                    + "POST /guarded HTTP/1.1\r\nHost: a\r\nFull: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "3\r\nabc\r\n0\r\n\r\n")
            try #require(responses.map(\.status) == [503, 200, 200, 503])
            #expect(responses[1].text == "hello" && responses[2].text == "hello")
            #expect(responses[3].headers["connection"] == "close")
        }
        #expect(handled.count == 1)
    }
}
