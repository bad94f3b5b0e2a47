import Base
import Foundation
import TestSupport
import Testing

@Suite struct WebClientTests {
    private func address(of server: HTTPReceiver) throws -> URL {
        try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    }

    @Test func whoeverCancelsNeverWaits() async throws {
        let silent = try HTTPReceiver { _ in nil }
        let request = WebRequest(try address(of: silent))
        let client = WebClient(idle: 60)
        for round in 0..<300 {
            let task = Task { () throws(WebError) in try await client.send(request) }
            if round % 3 > 0 { try await Task.sleep(for: .microseconds(round * 10)) }
            task.cancel()
            await #expect(throws: WebError.cancelled) { try await task.value }
        }
    }

    @Test func aRedirectIsAnAnswer() async throws {
        let server = try HTTPReceiver { _ in (307, "Location: http://127.0.0.1:9/\r\n", []) }
        #expect(try await WebClient(idle: 10).send(WebRequest(address(of: server))).status == 307)
    }

    @Test func answersAreBounded() async throws {
        let server = try HTTPReceiver { _ in (200, "", [UInt8](repeating: 65, count: 1000)) }
        let client = WebClient(idle: 10)
        let url = try address(of: server)
        #expect(try await client.get(url, limit: 1000).count == 1000)
        await #expect(throws: WebError.tooLarge(limit: 999)) { try await client.get(url, limit: 999) }
    }

    @Test func theStatusIsEnoughForWhoeverNeedsNoBody() async throws {
        let long = try HTTPReceiver { _ in (201, "", [UInt8](repeating: 65, count: 1_000_000)) }
        let request = WebRequest(try address(of: long))
        #expect(try await WebClient(idle: 10).send(request, limit: 10, needsBody: false).status == 201)
        let hanging = try HTTPReceiver { _ in (202, "Transfer-Encoding: chunked\r\n", []) }
        let other = WebRequest(try address(of: hanging))
        #expect(try await WebClient(idle: 1).send(other, needsBody: false).status == 202)
        await #expect(throws: WebError.timedOut) { try await WebClient(idle: 1).send(other) }
    }

    @Test(arguments: [("7", 7.0), ("0", 0), ("-1", nil), ("soon", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil)])
    func theWaitThatAServerAsksForIsKnown(_ field: String, _ seconds: Double?) async throws {
        let busy = try HTTPReceiver { _ in (429, "Retry-After: \(field)\r\n", []) }
        #expect(try await WebClient(idle: 10).send(WebRequest(address(of: busy))).retryAfter == seconds)
    }

    @Test func aBusyServerIsAskedAgain() async throws {
        let busy = try HTTPReceiver { _ in (503, "", []) }
        let request = WebRequest(try address(of: busy))
        let client = WebClient(idle: 10)
        #expect(try await client.send(request, attempts: 2).status == 503)
        #expect(busy.requests.count == 2)
        #expect(try await client.send(request, attempts: 2, isRepeatable: false).status == 503)
        #expect(busy.requests.count == 3)
        let long = try HTTPReceiver { _ in (200, "", [65, 66]) }
        let other = WebRequest(try address(of: long))
        await #expect(throws: WebError.tooLarge(limit: 1)) { try await client.send(other, limit: 1, attempts: 2) }
        #expect(long.requests.count == 1)
    }

    @Test func silenceEnds() async throws {
        let silent = try HTTPReceiver { _ in nil }
        let url = try address(of: silent)
        await #expect(throws: WebError.timedOut) { try await WebClient(idle: 1, whole: 1).get(url, limit: 10) }
    }

    /// Foundation's URLSession kept a core busy meanwhile.
    @Test func whoWaitsForAnAnswerTakesNoProcessorTime() async throws {
        let silent = try HTTPReceiver { _ in nil }
        let request = WebRequest(try address(of: silent))
        let before = clock()
        await #expect(throws: WebError.timedOut) { try await WebClient(idle: 2).send(request) }
        #expect(clock() - before < 1_000_000)
    }

    @Test func aPostIsSentAsItIs() async throws {
        let server = try HTTPReceiver { _ in (204, "", []) }
        let body = [UInt8](repeating: 7, count: 3_000_000)
        let request = WebRequest(
            try address(of: server), method: "PUT", fields: ["content-type": "image/jpeg", "X-A": "b\r\nX-C: d"],
            body: body)
        for _ in 0..<2 { #expect(try await WebClient(idle: 10).send(request).status == 204) }
        let seen = try #require(server.requests.last)
        #expect(seen.method == "PUT" && seen.body == body)
        #expect(seen.headers["content-type"] == "image/jpeg" && seen.headers["x-c"] == nil)
        #expect(seen.headers["expect"] == nil)
    }

    @Test func oneServerGetsFewConnections() async throws {
        let (open, most) = (Locked(0), Locked(0))
        let server = try HTTPReceiver { _ in
            let now = open.withLock { open in
                open += 1
                return open
            }
            most.withLock { $0 = max($0, now) }
            usleep(20_000)
            open.withLock { $0 -= 1 }
            return (200, "", [1])
        }
        let (client, url) = (WebClient(idle: 10, connections: 2), try address(of: server))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<9 { group.addTask { _ = try await client.get(url, limit: 1) } }
            try await group.waitForAll()
        }
        #expect(most.withLock { $0 } == 2)
        #expect(server.requests.count == 9)
    }

    @Test(.timeLimit(.minutes(1))) func aBodyThatDripsEnds() async throws {
        let dripping = try HTTPReceiver(pause: 0.2) { _ in (200, "", [UInt8](repeating: 65, count: 1000)) }
        let client = WebClient(idle: 5, whole: 1)
        let request = WebRequest(try address(of: dripping))
        await #expect(throws: WebError.timedOut) { try await client.send(request) }
        #expect(try await client.send(request, needsBody: false).status == 200)
    }

    @Test func privateAddressesAreRefused() async throws {
        let server = try HTTPReceiver()
        let request = WebRequest(try address(of: server))
        await #expect(throws: WebError.isPrivate(host: "127.0.0.1")) {
            try await WebClient(idle: 10, allowsPrivate: false).send(request)
        }
        #expect(server.requests.isEmpty)
    }

    /// The name means something else a moment after the check (DNS rebinding). Here it then means nothing.
    @Test func theConnectionGoesToTheAddressThatWasChecked() async throws {
        let server = try HTTPReceiver { _ in (204, "", []) }
        let url = try #require(URL(string: "http://name.invalid:\(server.port)/"))
        let checked = try #require(NetworkAddress("127.0.0.1"))
        let client = WebClient(idle: 10, allowsPrivate: false, lookUp: { _ in [checked] }, isPrivate: { _ in false })
        #expect(try await client.send(WebRequest(url)).status == 204)
        #expect(server.requests.first?.headers["host"] == "name.invalid:\(server.port)")
    }
}
