import Testing
@testable import HTTP

@Suite("Event stream")
struct EventStreamTests {
    static func text(_ event: ServerSentEvent) -> String { String(decoding: event.serialized(), as: UTF8.self) }

    @Test("writes the examples of WHATWG HTML §9.2.6")
    func examples() {
        #expect(Self.text(ServerSentEvent(data: "YHOO\n+2\n10")) == "data: YHOO\ndata: +2\ndata: 10\n\n")
        #expect(Self.text(ServerSentEvent(event: "add", data: "73857293")) == "event: add\ndata: 73857293\n\n")
        #expect(
            Self.text(ServerSentEvent(id: "1", data: " third event")) == "id: 1\ndata:  third event\n\n")
        #expect(String(decoding: ServerSentEvent.comment, as: UTF8.self) == ":\n\n")
    }

    @Test("ends a line at CR, LF and CR LF, so that no text can forge a field")
    func lines() {
        #expect(
            Self.text(ServerSentEvent(data: "a\r\nb\rid: c\n\nd\n"))
                == "data: a\ndata: b\ndata: id: c\ndata:\ndata: d\ndata:\n\n")
        #expect(
            Self.text(ServerSentEvent(id: "1\ndata: x", event: "a\rb", data: ""))
                == "id: 1 data: x\nevent: a b\ndata:\n\n")
        #expect(Self.text(ServerSentEvent(id: "a\0b")) == "id: a b\n\n")
    }

    /// The written chunks of a response, without the opening block.
    static func chunks(_ response: Response) async throws -> [String] {
        guard case .stream(length: nil, let produce) = response.body else { return [] }
        let sink = CompressionMiddlewareTests.Chunks()
        try await produce(ResponseBodyWriter { await sink.take($0) })
        return await sink.all.dropFirst().map { String(decoding: $0, as: UTF8.self) }
    }

    static func id(_ chunk: String) -> String {
        chunk.split(separator: "\n").first { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) } ?? ""
    }

    @Test("sends the buffer to a new client and the rest to a returning one")
    func resume() async throws {
        let channel = EventChannel()
        for number in 1...3 { channel.publish("\(number)", event: "epoch") }
        channel.finish()
        channel.publish("too late")
        let all = try await Self.chunks(channel.response(to: Request()))
        #expect(all.map { $0.hasSuffix("event: epoch\ndata: 1\n\n") } == [true, false, false])
        #expect(all.count == 3)
        let rest = try await Self.chunks(channel.response(to: Request(headers: ["Last-Event-ID": Self.id(all[0])])))
        #expect(rest == Array(all.dropFirst()))
        for foreign in ["x-1", "", "\(Self.id(all[0]).split(separator: "-")[0])-99"] {
            let response = channel.response(to: Request(headers: ["Last-Event-ID": foreign]))
            #expect(try await Self.chunks(response) == all)
        }
        let complete = channel.response(to: Request(headers: ["Last-Event-ID": Self.id(all[2])]))
        #expect(complete.status == .noContent)
    }

    @Test("keeps a bounded number of events, and a slow subscriber goes on with the oldest kept")
    func bounded() async throws {
        let channel = EventChannel(capacity: 2)
        channel.publish("0")
        let subscriber = channel.addSubscriber()
        for number in 1...4 { channel.publish("\(number)") }
        guard case .event(let bytes, position: 3) = await channel.next(subscriber, at: 0) else {
            Issue.record("the event at position 3 was expected")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("data: 3\n\n"))
    }

    @Test("wakes waiting subscribers for events, heartbeats, the end and cancellation")
    func waking() async throws {
        let channel = EventChannel()
        let subscriber = channel.addSubscriber()
        async let first = channel.next(subscriber, at: 0)
        channel.publish("a")
        guard case .event(_, position: 0) = await first else {
            Issue.record("an event was expected")
            return
        }
        async let second = channel.next(subscriber, at: 1)
        channel.beat(subscriber)
        guard case .heartbeat = await second else {
            Issue.record("a heartbeat was expected")
            return
        }
        let cancelled = Task { await channel.next(subscriber, at: 1) }
        cancelled.cancel()
        guard case .end = await cancelled.value else {
            Issue.record("the end was expected")
            return
        }
        async let last = channel.next(subscriber, at: 1)
        channel.finish()
        guard case .end = await last else {
            Issue.record("the end was expected")
            return
        }
    }

    @Test("sends heartbeats while nothing happens, and stops when the client has gone")
    func heartbeat() async throws {
        let channel = EventChannel()
        let response = channel.response(to: Request(), heartbeat: .milliseconds(1))
        #expect(response.headers["Content-Type"] == "text/event-stream")
        #expect(response.headers["Cache-Control"] == "no-store")
        guard case .stream(length: nil, let produce) = response.body else {
            Issue.record("not streamed")
            return
        }
        let sink = CompressionMiddlewareTests.Chunks()
        await #expect(throws: ConnectionLost.self) {
            try await produce(
                ResponseBodyWriter {
                    await sink.take($0)
                    if await sink.all.count == 3 { throw ConnectionLost() }
                })
        }
        let taken = await sink.all.map { String(decoding: $0, as: UTF8.self) }
        #expect(taken == ["\n", ":\n\n", ":\n\n"])
    }

    @Test("serves many subscribers at once, each all events in order")
    func concurrent() async throws {
        let channel = EventChannel(capacity: 1000)
        let results = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask { try await Self.chunks(channel.response(to: Request(), heartbeat: .seconds(60))) }
            }
            for number in 0..<500 { channel.publish("\(number)") }
            channel.finish()
            return try await group.reduce(into: [[String]]()) { $0.append($1) }
        }
        #expect(results.count == 8)
        for result in results {
            #expect(result.count == 500 && result.last?.hasSuffix("data: 499\n\n") == true)
            #expect(result == results[0])
        }
    }
}
