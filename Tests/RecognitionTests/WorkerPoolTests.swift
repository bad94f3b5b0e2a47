import Base
import Dispatch
import Testing

@testable import Recognition

@Suite("WorkerPool", .timeLimit(.minutes(1))) struct WorkerPoolTests {
    /// A pool with one thread, which is held until ``Gate/open()``.
    final class Gate: Sendable {
        private let monitor = Monitor(false)
        let order: Locked<[String]> = Locked([])

        func wait() { monitor.waitUntil { $0 ? .done(()) : .wait } }

        func open() {
            monitor.withLock { $0 = true }
            monitor.broadcast()
        }

        func note(_ name: String) { order.withLock { $0.append(name) } }
    }

    func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }

    func busy(
        _ gate: Gate, depth: Int = 100, observer: any RecognitionObserver = NoObserver()
    ) async throws -> (WorkerPool, Task<Void, any Error>) {
        let pool = try WorkerPool(name: "test", threadCount: 1, maximumQueueDepth: depth, observer: observer)
        let isRunning = Locked(false)
        let box = Box(isRunning)
        let blocker = Task {
            try await pool.run(in: "busy") {
                box.set()
                gate.wait()
            }
        }
        try await until { box.isSet }
        return (pool, blocker)
    }

    /// A flag that closures share.
    final class Box: Sendable {
        private let flag: Locked<Bool>

        init(_ flag: consuming Locked<Bool>) { self.flag = flag }

        var isSet: Bool { flag.withLock { $0 } }

        func set() { flag.withLock { $0 = true } }
    }

    @Test func `work runs off the cooperative pool and errors come back`() async throws {
        let pool = try WorkerPool(name: "test", threadCount: 2, maximumQueueDepth: 100)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 { group.addTask { try await pool.run { number } } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 1225)
        await #expect(throws: RecognitionError.unknownModel("x")) {
            try await pool.run { throw RecognitionError.unknownModel("x") }
        }
        pool.stop()
        await #expect(throws: RecognitionError.stopped) { try await pool.run { 1 } }
    }

    @Test func `a client that left is dropped before its photo is decoded`() async throws {
        let gate = Gate()
        let observer = CountingObserver()
        let (pool, blocker) = try await busy(gate, observer: observer)
        let leaving = Task { try await pool.run { gate.note("decoded") } }
        try await until { pool.queueDepth == 1 }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()
        try await blocker.value
        pool.stop()
        #expect(gate.order.withLock { $0 } == [])
        #expect(observer.counts.departed == 1)
    }

    @Test func `a photo past its deadline is not decoded`() async throws {
        let gate = Gate()
        let observer = CountingObserver()
        let (pool, blocker) = try await busy(gate, observer: observer)
        let late = Task { try await pool.run(deadline: .now) { gate.note("decoded") } }
        try await until { pool.queueDepth == 1 }
        gate.open()
        await #expect(throws: RecognitionError.deadlineExceeded) { try await late.value }
        try await blocker.value
        pool.stop()
        #expect(gate.order.withLock { $0 } == [])
        #expect(observer.counts.expired == 1)
    }

    @Test func `a full line refuses, and another still takes`() async throws {
        let gate = Gate()
        let observer = CountingObserver()
        let (pool, blocker) = try await busy(gate, depth: 1, observer: observer)
        let first = Task { try await pool.run(in: "a") {} }
        try await until { pool.queueDepth == 1 }
        let error = await #expect(throws: RecognitionError.self) { try await pool.run(in: "a") {} }
        guard case .overloaded(let wait) = error else {
            Issue.record("\(String(describing: error)) is no overload")
            return
        }
        #expect(wait > .zero && observer.counts.refused == 1)
        let other = Task { try await pool.run(in: "b") {} }
        try await until { pool.queueDepth == 2 }
        gate.open()
        for task in [blocker, first, other] { try await task.value }
        pool.stop()
    }

    @Test func `a model with few photos does not wait behind all those of a busy one`() async throws {
        let gate = Gate()
        let (pool, blocker) = try await busy(gate)
        var tasks: [Task<Void, any Error>] = []
        for number in 1...30 {
            tasks.append(Task { try await pool.run(in: "busy") { gate.note("busy") } })
            try await until { pool.queueDepth == number }
        }
        tasks.append(Task { try await pool.run(in: "other") { gate.note("other") } })
        try await until { pool.queueDepth == 31 }
        gate.open()
        for task in tasks { try await task.value }
        try await blocker.value
        pool.stop()
        // The busy one has had the thread all the time; the other has had nothing.
        #expect(gate.order.withLock { $0.first } == "other")
    }
}
