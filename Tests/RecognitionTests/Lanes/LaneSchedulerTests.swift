import Base
import Dispatch
import TestSupport
import Testing
@testable import Recognition

@Suite("LaneScheduler", .timeLimit(.minutes(1))) struct LaneSchedulerTests {
    private let order = Locked<[String]>([])

    private func note(_ name: String) { order.withLock { $0.append(name) } }

    /// A gate that holds the only lane until it opens.
    private func closedGate() -> Gate {
        let gate = Gate()
        gate.close()
        return gate
    }

    /// Starts lanes with one thread, and a line whose work holds it until the gate opens.
    ///
    /// - Returns: also the task that waits for that work.
    func busy(
        _ gate: Gate, depth: Int = 100, observer: any RecognitionObserver = NoObserver()
    ) async throws -> (LaneScheduler, LaneScheduler.Line, Task<Void, any Error>) {
        let lanes = LaneScheduler(policy: QueuePolicy(maximumDepth: depth))
        let line = try lanes.openLine(width: 1, observer: observer)
        let isRunning = Locked(false)
        let box = Box(isRunning)
        let blocker = Task {
            try await lanes.run(in: line) { _ in
                box.set()
                gate.pass()
            }
        }
        try await eventually { box.isSet }
        return (lanes, line, blocker)
    }

    final class Box: Sendable {
        private let flag: Locked<Bool>

        init(_ flag: consuming Locked<Bool>) { self.flag = flag }

        var isSet: Bool { flag.withLock { $0 } }

        func set() { flag.withLock { $0 = true } }
    }

    @Test func `work runs off the cooperative pool and errors come back`() async throws {
        let lanes = LaneScheduler(policy: QueuePolicy())
        let line = try lanes.openLine(width: 2)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 { group.addTask { try await lanes.run(in: line) { _ in number } } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 1225)
        await #expect(throws: RecognitionError.unknownModel("x")) {
            try await lanes.run(in: line) { _ in throw RecognitionError.unknownModel("x") }
        }
        lanes.close(line)
        await #expect(throws: RecognitionError.stopped) { try await lanes.run(in: line) { _ in 1 } }
    }

    @Test func `no two pieces of work are on a lane at the same time`() async throws {
        let lanes = LaneScheduler(policy: QueuePolicy())
        let lines = [try lanes.openLine(width: 2), try lanes.openLine(width: 3)]
        let busy = Locked([false, false, false])
        let box = Lanes(busy)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<300 {
                group.addTask {
                    try await lanes.run(in: lines[number % 2]) { turn in
                        guard turn.lane < 2 + number % 2, box.enter(turn.lane) else { return false }
                        defer { box.leave(turn.lane) }
                        return (0..<1000).reduce(0, ^) >= 0
                    }
                }
            }
            for try await isAlone in group { #expect(isAlone) }
        }
        for line in lines { lanes.close(line) }
    }

    final class Lanes: Sendable {
        private let busy: Locked<[Bool]>

        init(_ busy: consuming Locked<[Bool]>) { self.busy = busy }

        func enter(_ lane: Int) -> Bool {
            busy.withLock { busy in
                defer { busy[lane] = true }
                return !busy[lane]
            }
        }

        func leave(_ lane: Int) { busy.withLock { $0[lane] = false } }
    }

    @Test func `a client that left is dropped before its photo is decoded`() async throws {
        let gate = closedGate()
        let observer = CountingObserver()
        let (lanes, line, blocker) = try await busy(gate, observer: observer)
        let leaving = Task { try await lanes.run(in: line) { _ in note("decoded") } }
        try await eventually { lanes.queueDepth(of: line) == 1 }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()
        try await blocker.value
        lanes.close(line)
        #expect(order.withLock { $0 } == [])
        #expect(observer.counts.departed == 1)
    }

    @Test func `photos behind one in work can still leave and be overtaken`() async throws {
        let first = closedGate()
        let second = closedGate()
        let (lanes, line, blocker) = try await busy(first)
        var tasks: [Task<Void, any Error>] = []
        for name in ["in work", "leaves", "stays"] {
            tasks.append(
                Task {
                    try await lanes.run(in: line) { _ in
                        note(name)
                        if name == "in work" { second.pass() }
                    }
                })
            try await eventually { lanes.queueDepth(of: line) == tasks.count }
        }
        first.open()
        try await eventually { order.withLock { $0 } == ["in work"] }
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        let begun = Task { try await lanes.run(in: line, isBegun: true) { _ in note("overtakes") } }
        try await eventually { lanes.queueDepth(of: line) == 2 }
        second.open()
        for task in [blocker, tasks[0], tasks[2], begun] { try await task.value }
        lanes.close(line)
        #expect(order.withLock { $0 } == ["in work", "overtakes", "stays"])
    }

    @Test func `a photo past its deadline is not decoded`() async throws {
        let gate = closedGate()
        let observer = CountingObserver()
        let (lanes, line, blocker) = try await busy(gate, observer: observer)
        let late = Task { try await lanes.run(in: line, deadline: .now) { _ in note("decoded") } }
        try await eventually { lanes.queueDepth(of: line) == 1 }
        gate.open()
        await #expect(throws: RecognitionError.deadlineExceeded) { try await late.value }
        try await blocker.value
        lanes.close(line)
        #expect(order.withLock { $0 } == [])
        #expect(observer.counts.expired == 1)
    }

    @Test func `a full line refuses, and another still takes`() async throws {
        let gate = closedGate()
        let observer = CountingObserver()
        let (lanes, line, blocker) = try await busy(gate, depth: 1, observer: observer)
        let first = Task { try await lanes.run(in: line) { _ in } }
        try await eventually { lanes.queueDepth(of: line) == 1 }
        let error = await #expect(throws: RecognitionError.self) { try await lanes.run(in: line) { _ in } }
        guard case .overloaded(let wait) = error else {
            Issue.record("\(String(describing: error)) is no overload")
            return
        }
        #expect(wait > .zero && observer.counts.refused == 1)
        let second = try lanes.openLine(width: 1)
        let other = Task { try await lanes.run(in: second) { _ in } }
        try await eventually { lanes.queueDepth(of: second) == 1 }
        gate.open()
        for task in [blocker, first, other] { try await task.value }
        for line in [line, second] { lanes.close(line) }
    }

    @Test func `a line with little work does not wait behind all that of a busy one`() async throws {
        let gate = closedGate()
        let (lanes, line, blocker) = try await busy(gate)
        let second = try lanes.openLine(width: 1)
        var tasks: [Task<Void, any Error>] = []
        for number in 1...30 {
            tasks.append(Task { try await lanes.run(in: line) { _ in note("busy") } })
            try await eventually { lanes.queueDepth(of: line) == number }
        }
        tasks.append(Task { try await lanes.run(in: second) { _ in note("other") } })
        try await eventually { lanes.queueDepth(of: second) == 1 }
        gate.open()
        for task in tasks { try await task.value }
        try await blocker.value
        for line in [line, second] { lanes.close(line) }
        // The busy line has had the lane all the time. The other has had nothing.
        #expect(order.withLock { $0.first } == "other")
    }

    @Test func `background work is held while somebody waits, and wakes by itself`() async throws {
        let gate = closedGate()
        let lanes = LaneScheduler(policy: QueuePolicy())
        let line = try lanes.openLine(width: 3)
        let visitor = Task { try await lanes.run(in: line) { _ in gate.pass() } }
        try await eventually { lanes.isBusy && lanes.queueDepth(of: line) == 0 }
        let held = closedGate()
        let background = (0..<2).map { _ in
            Task {
                try await lanes.run(in: line, priority: .background) { turn in
                    note("begun")
                    held.pass()
                    return turn.queueSeconds
                }
            }
        }
        // The visitor keeps its lane. One piece of background work takes another after its patience.
        try await eventually { order.withLock { $0 } == ["begun"] && lanes.queueDepth(of: line) == 1 }
        #expect(lanes.isBusy)
        gate.open()
        try await visitor.value
        // The second one starts without a further event when no visitor has come for a while.
        try await eventually { order.withLock { $0.count } == 2 }
        #expect(!lanes.isBusy)
        held.open()
        for task in background { #expect(try await task.value >= 0.03) }
        lanes.close(line)
    }

    @Test func `photos that have begun go first, except bulk ones`() async throws {
        let gate = closedGate()
        let (lanes, line, blocker) = try await busy(gate)
        let waiting: [(name: String, isBegun: Bool, priority: Priority)] = [
            ("bulk", false, .bulk), ("begun bulk", true, .bulk), ("new", false, .interactive),
            ("begun", true, .interactive),
        ]
        var tasks: [Task<Void, any Error>] = []
        for (number, work) in waiting.enumerated() {
            tasks.append(
                Task {
                    try await lanes.run(in: line, isBegun: work.isBegun, priority: work.priority) { _ in
                        note(work.name)
                    }
                })
            try await eventually { lanes.queueDepth(of: line) == number + 1 }
        }
        gate.open()
        for task in tasks + [blocker] { try await task.value }
        lanes.close(line)
        #expect(order.withLock { $0 } == ["begun", "new", "bulk", "begun bulk"])
    }
}
