import Base
import Foundation
@testable import HTTP
import TestSupport
import Testing

/// Clients that vanish, and a server that stops.
@Suite struct DisconnectTests {
    /// `GET /wait` answers after ten minutes, or when it is cancelled.
    private func waiting(_ started: Counter, _ cancelled: Counter) -> Router {
        var router = Router()
        router.get(
            "/wait",
            .asynchronous { _ in
                started.add()
                do { try await Task.sleep(for: .seconds(600)) } catch { cancelled.add() }
                return Response()
            })
        return router
    }

    @Test func aResetCancelsTheHandler() async throws {
        let started = Counter()
        let cancelled = Counter()
        try await withServer(waiting(started, cancelled)) { port, server in
            let client = try await openClient(port, sending: "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually { started.value == 1 }
            client.reset()
            try await eventually { cancelled.value == 1 && server.connections == 0 }
        }
    }

    @Test func anAnswerThatIsGivenUpDoesNotWaitForAClientThatReadsNothing() async throws {
        let written = Counter(), ended = Counter()
        let work = Locked<Task<Void, any Error>?>(nil)
        var router = Router()
        router.get(
            "/endless",
            .asynchronous { _ in
                Response(
                    body: .stream(length: nil) { writer in
                        let task = Task {
                            while true {
                                try await writer.write([UInt8](repeating: 65, count: 65_536))
                                written.add()
                            }
                        }
                        work.withLock { $0 = task }
                        _ = await task.result
                        ended.add()
                    })
            })
        try await withServer(router) { port, _ in
            let client = try await openClient(port, sending: "GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
            // Writes until the sockets are full.
            try await eventually {
                let before = written.value
                try await Task.sleep(for: .milliseconds(100))
                return before > 0 && written.value == before
            }
            work.withLock { $0 }?.cancel()
            try await eventually { ended.value == 1 }
            client.close()
        }
    }

    @Test func aClosedClientIsFoundOutByAnInterimAnswer() async throws {
        let started = Counter(), cancelled = Counter(), released = Counter()
        var router = waiting(started, cancelled)
        router.get(
            "/long",
            .asynchronous { _ in
                try await eventually { released.value == 1 }
                return .bytes(Array("still here".utf8), type: .text)
            })
        try await withServer(router) { port, _ in
            let client = try await openClient(port, sending: "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually { started.value == 1 }
            client.close()
            try await eventually { cancelled.value == 1 }
            // A client that is still there gets one probe and then its answer.
            let long = try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
                client.shutdownWriting()
                let asked = try client.receive()
                released.add()
                return RawResponse.parse(asked + (try client.receiveAll()))
            }
            #expect(long.map(\.status) == [102, 200])
            #expect(long.last?.text == "still here")
        }
    }

    @Test func aResetEndsTheReadingOfABody() async throws {
        let begun = Counter(), failed = Counter()
        var router = Router()
        router.post(
            "/read",
            .asynchronous { request in
                do {
                    for try await _ in request.body { begun.add() }
                } catch {
                    failed.add()
                }
                return Response()
            })
        try await withServer(router) { port, _ in
            let client = try await openClient(
                port, sending: "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
            try await eventually { begun.value == 1 }
            client.reset()
            try await eventually { failed.value == 1 }
        }
    }

    @Test func resetsAtAnyByteLeaveNothingBehind() async throws {
        let text = Array(
            ("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                + "GET /async HTTP/1.1\r\nHost: a\r\n\r\n").utf8)
        try await withServer(.sample) { port, server in
            try await onThread {
                for count in 0...text.count {
                    let client = try RawClient(port: port)
                    try client.send(Array(text.prefix(count)))
                    client.reset()
                }
            }
            try await eventually { server.connections == 0 }
            #expect(try await exchange(port, "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n").map(\.text) == ["hello"])
        }
    }

    /// A hang-up that arrives together with a request. It crashed the service when libdispatch had a source for each
    /// connection.
    @Test func resetsFromManySidesLeaveNothingBehind() async throws {
        let request = Array("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        try await withServer(.sample) { port, server in
            try await withThrowingTaskGroup(of: Void.self) { clients in
                for _ in 0..<8 {
                    clients.addTask {
                        try await onThread {
                            for count in 0..<10_000 {
                                let client = try RawClient(port: port)
                                if count % 4 > 0 { usleep(useconds_t(count % 300)) }
                                try client.send(Array(request.prefix(request.count * (count % 3) / 2)))
                                if count % 4 == 2 { usleep(useconds_t(count % 100)) }
                                client.reset()
                            }
                        }
                    }
                }
                try await clients.waitForAll()
            }
            try await eventually { server.connections == 0 }
            #expect(try await exchange(port, "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n").map(\.text) == ["hello"])
        }
    }

    @Test func manyConnectionsInARow() async throws {
        try await withServer(.sample) { port, server in
            try await onThread {
                for _ in 0..<2000 {
                    let client = try RawClient(port: port)
                    try client.send("GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    guard try RawResponse.parse(client.receiveAll()).map(\.text) == ["hello"] else {
                        throw RawClient.Failure(description: "no answer")
                    }
                }
            }
            try await eventually { server.connections == 0 }
        }
    }

    @Test func drainingFinishesWhatIsInFlight() async throws {
        let started = Counter()
        let released = Counter()
        var router = Router.sample
        router.get(
            "/slow",
            .asynchronous { _ in
                started.add()
                try await eventually { released.value == 1 }
                return .bytes(Array("done".utf8), type: .text)
            })
        try await withServer(router, configuration: ServerConfiguration(loops: 1)) { port, server in
            let (busy, idle) = try await onThread {
                let idle = try RawClient(port: port)
                try idle.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try idle.responses(1)
                let busy = try RawClient(port: port)
                try busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
                return (busy, idle)
            }
            try await eventually { started.value == 1 }
            async let stopped: Void = server.shutdown(drainTimeout: .seconds(10))
            try await onThread {
                // The idle connection is closed, so draining has begun.
                let isClosed = try idle.receive().isEmpty
                #expect(isClosed)
            }
            released.add()
            try await onThread {
                let response = try busy.responses(1)[0]
                #expect(response.text == "done")
                #expect(response.headers["connection"] == "close")
                #expect(try busy.receive().isEmpty)
                busy.close()
            }
            await stopped
            #expect(server.connections == 0)
            await #expect(throws: RawClient.Failure.self) { try await onThread { _ = try RawClient(port: port) } }
        }
    }

    @Test func whatDoesNotFinishInTimeIsClosed() async throws {
        let started = Counter(), cancelled = Counter()
        try await withServer(waiting(started, cancelled)) { port, server in
            let client = try await openClient(port, sending: "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually { started.value == 1 }
            await server.shutdown(drainTimeout: .milliseconds(50))
            try await eventually { cancelled.value == 1 }
            client.close()
        }
    }

    @Test func theObserverSeesEverything() async throws {
        final class Observer: ServerObserver {
            let opened = Counter(), closed = Counter(), received = Counter(), sent = Counter()
            let completed = Counter(), refused = Counter(), bodyIn = Counter(), bodyOut = Counter()
            func connectionOpened() { opened.add() }
            func connectionClosed() { closed.add() }
            func bytesReceived(_ count: Int) { received.add(count) }
            func bytesSent(_ count: Int) { sent.add(count) }
            func requestCompleted(_ record: RequestRecord) {
                completed.add()
                bodyIn.add(record.bytesIn)
                bodyOut.add(record.bytesOut)
            }
            func refused(_ reason: RefusalReason) { refused.add() }
        }
        let observer = Observer()
        try await withServer(.sample, observer: observer) { port, _ in
            let text =
                "GET /hello HTTP/1.1\r\nHost: a\r\n\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc!\r\n\r\n"
            let statuses = try await exchange(port, text).map(\.status)
            #expect(statuses == [200, 200, 400])
            try await eventually { observer.closed.value == 1 }
            #expect(observer.opened.value == 1)
            #expect(observer.received.value == text.utf8.count)
            #expect(observer.sent.value > 300)
            #expect(observer.completed.value == 2)
            #expect(observer.refused.value == 1)
            #expect(observer.bodyIn.value == 3)
            #expect(observer.bodyOut.value == 8)
        }
    }
}
