import Base
import Foundation
import TestSupport
import Testing
@testable import HTTP

/// The memory limit for request bodies, with clients that send large ones and wait.
@Suite struct BodyMemoryTests {
    private static let kilobyte = 1024

    /// Records the reasons for refusals.
    private final class Refusals: ServerObserver {
        let reasons = Locked<[RefusalReason]>([])
        func refused(_ reason: RefusalReason) { reasons.withLock { $0.append(reason) } }
    }

    private func post(_ client: String, _ path: String = "/keep", announced: Int, sent: Int) -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(client)\r\nContent-Length: \(announced)\r\n\r\n"
        return Array(head.utf8) + [UInt8](repeating: 7, count: sent)
    }

    private func isEmpty(_ server: Server) async {
        try? await eventually { server.bodies.held == 0 }
        #expect(server.bodies.held == 0)
    }

    /// `POST /keep` reads the whole body and keeps it until the test releases it. The limit is 1 MiB in total and half
    /// of it per client.
    private func withKeeper(
        _ body: (_ port: Int, _ server: Server, _ kept: Counter, _ letGo: @escaping () -> Void, Refusals) async throws
            -> Void
    ) async throws {
        var limits = ParserLimits()
        limits.body = 512 * Self.kilobyte
        var configuration = ServerConfiguration(limits: limits)
        configuration.bodyMemory = 1024 * Self.kilobyte
        configuration.trustedProxies = try TrustedProxies(["127.0.0.1"])
        let kept = Counter()
        let isLetGo = Locked(false)
        var router = Router()
        router.post(
            "/keep",
            .asynchronous { request in
                let bytes = try await request.body.collect(upTo: 1 << 20)
                kept.add()
                try await eventually { isLetGo.withLock { $0 } }
                return .bytes(Array("\(bytes.count)".utf8), type: .text)
            })
        let refusals = Refusals()
        try await withServer(router, configuration: configuration, observer: refusals) { port, server in
            try await body(port, server, kept, { isLetGo.withLock { $0 = true } }, refusals)
        }
    }

    @Test func bodiesThatDoNotFitAreRefusedAndTheRestIsAnswered() async throws {
        try await withKeeper { port, server, kept, letGo, refusals in
            let size = 400 * Self.kilobyte
            func send(_ client: String) async throws -> RawClient {
                let bytes = post(client, announced: size, sent: size)
                return try await onThread {
                    let client = try RawClient(port: port)
                    try? client.send(bytes)
                    return client
                }
            }
            let first = try await send("10.0.0.1")
            try await kept.reaches(1)
            #expect(server.bodies.held == size)
            // The same client would exceed its half.
            let again = try await send("10.0.0.1")
            let refused = try await onThread { try again.responses(1)[0] }
            #expect(refused.status == 503 && refused.headers["retry-after"] == "1", "\(refused.text)")
            // A second client still fits. A third one does not.
            let second = try await send("10.0.0.2")
            try await kept.reaches(2)
            let third = try await send("10.0.0.3")
            #expect(try await onThread { try third.responses(1)[0] }.status == 503)
            #expect(refusals.reasons.withLock { $0 } == [.bodyMemory, .bodyMemory])
            letGo()
            for client in [first, second] {
                #expect(try await onThread { try client.responses(1)[0] }.text == "\(size)")
            }
            await isEmpty(server)
            let late = try await send("10.0.0.3")
            #expect(try await onThread { try late.responses(1)[0] }.status == 200)
        }
    }

    @Test func aBodyThatIsOnlyAnnouncedTakesNothing() async throws {
        try await withKeeper { port, server, kept, letGo, _ in
            let size = 500 * Self.kilobyte
            let (empty, half) = (
                post("10.0.0.9", announced: size, sent: 0), post("10.0.0.9", announced: size, sent: 1000)
            )
            let announced = try await onThread {
                try [empty, empty, half, half].map { bytes in
                    let client = try RawClient(port: port)
                    try client.send(bytes)
                    return client
                }
            }
            let whole = post("10.0.0.9", announced: size, sent: size)
            let client = try await onThread {
                let client = try RawClient(port: port)
                try client.send(whole)
                return client
            }
            try await kept.reaches(1)
            letGo()
            #expect(try await onThread { try client.responses(1)[0] }.text == "\(size)")
            for client in announced { client.reset() }
            await isEmpty(server)
        }
    }

    @Test func aPackedBodyCountsAsItIsUnpacked() async throws {
        try await withKeeper { port, server, _, letGo, _ in
            letGo()
            // 900 KiB of zeros in a few hundred bytes exceed a client's half.
            let packed = try Gzip.compress([UInt8](repeating: 0, count: 900 * Self.kilobyte))
            #expect(packed.count < 4000)
            let head =
                "POST /keep HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
            let answer = try await onThread {
                let client = try RawClient(port: port)
                try client.send(Array(head.utf8) + packed)
                return try client.responses(1)[0]
            }
            #expect(answer.status == 503)
            await isEmpty(server)
        }
    }

    @Test func oneNetworkOfIPv6IsOneClient() {
        let budget = BodyBudget(limit: 100, largestBody: 10)
        let (one, other) = (budget.allowance(for: "2001:db8::1"), budget.allowance(for: "2001:db8::2"))
        withExtendedLifetime(one) {
            #expect(one.add(50) == false && other.add(0) == false)
            #expect(budget.allowance(for: "2001:db8:0:1::1").add(0))
        }
    }
}

extension Counter {
    fileprivate func reaches(_ number: Int) async throws {
        try? await eventually { value == number }
        #expect(value == number)
    }
}
