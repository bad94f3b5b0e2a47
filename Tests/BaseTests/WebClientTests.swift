import Base
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct WebClientTests {
    private func address(of server: HTTPReceiver) throws -> URL {
        try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    }

    @Test func whoeverCancelsNeverWaits() async throws {
        let silent = try HTTPReceiver { _ in nil }
        let request = URLRequest(url: try address(of: silent))
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
        #expect(try await WebClient(idle: 10).send(URLRequest(url: address(of: server))).status == 307)
    }

    @Test func answersAreBounded() async throws {
        let server = try HTTPReceiver { _ in (200, "", [UInt8](repeating: 65, count: 1000)) }
        let client = WebClient(idle: 10)
        let url = try address(of: server)
        #expect(try await client.get(url, limit: 1000).count == 1000)
        await #expect(throws: WebError.tooLarge(limit: 999)) { try await client.get(url, limit: 999) }
    }

    @Test func silenceEnds() async throws {
        let silent = try HTTPReceiver { _ in nil }
        let url = try address(of: silent)
        await #expect(throws: WebError.timedOut) { try await WebClient(idle: 1, whole: 1).get(url, limit: 10) }
    }

    @Test func privateAddressesAreRefused() async throws {
        let server = try HTTPReceiver()
        let request = URLRequest(url: try address(of: server))
        await #expect(throws: WebError.isPrivate(host: "127.0.0.1")) {
            try await WebClient(idle: 10, allowsPrivate: false).send(request)
        }
        #expect(server.requests.isEmpty)
    }
}
