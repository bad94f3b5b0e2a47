import TestSupport
import Testing
@testable import Recognition

@Suite("Lanes that models share", .timeLimit(.minutes(1))) struct SharedLanesTests {
    /// Two models on shared lanes. One photo holds the first.
    func pair(
        lanes count: Int = 1, observer: any RecognitionObserver = NoObserver()
    ) async throws -> (FakeEngine, ModelLine, ModelLine, FakeEngine.Journal, Task<ModelLine.Inference, any Error>) {
        let lanes = LaneScheduler(policy: QueuePolicy())
        let journal = FakeEngine.Journal()
        let engine = FakeEngine(lanes: count, name: 1, journal: journal)
        let busy = try ModelLine(engine: engine, lanes: lanes, observer: observer)
        let other = try ModelLine(
            engine: FakeEngine(lanes: count, name: 2, journal: journal), lanes: lanes, observer: observer)
        let blocker = Task { try await busy.submit([255, 0]) }
        try await eventually { engine.photos.count == 1 }
        return (engine, busy, other, journal, blocker)
    }

    @Test func `a busy model does not starve another`() async throws {
        let observer = CountingObserver()
        let (engine, busy, other, journal, blocker) = try await pair(observer: observer)
        var tasks: [Task<ModelLine.Inference, any Error>] = []
        for number in 1...60 {
            tasks.append(Task { try await busy.submit([1, 0]) })
            try await eventually { busy.queueDepth == number }
        }
        for number in 1...2 {
            tasks.append(Task { try await other.submit([2, 0]) })
            try await eventually { other.queueDepth == number }
        }
        engine.open()
        for task in tasks { _ = try await task.value }
        _ = try await blocker.value
        // The second model has had nothing, so its photos go before the sixty earlier ones.
        let order = journal.engines
        #expect(order.prefix(2) == [1, 2], "\(order)")
        #expect(order.filter { $0 == 1 }.count == 61)
        busy.stop()
        other.stop()
        // The report comes after the answers.
        try await eventually { observer.counts.served == 63 }
    }

    @Test func `answers find their way with many models and lanes`() async throws {
        let lanes = LaneScheduler(policy: QueuePolicy())
        var lines: [ModelLine] = []
        for model in 1...4 { lines.append(try ModelLine(engine: FakeEngine(lanes: model), lanes: lanes)) }
        let models = lines
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(0)..<200 {
                group.addTask {
                    let answer = try await models[Int(number) % 4].submit([number, number &+ 1])
                    #expect(answer.output.values == [[Float(number), Float(number &+ 1)]])
                }
            }
            try await group.waitForAll()
        }
        for line in models { line.stop() }
    }

    @Test func `one model ends while another goes on, and a new one starts after the last`() async throws {
        let (engine, busy, other, _, blocker) = try await pair(lanes: 2)
        _ = try await other.submit([3, 4])
        let stopper = Task.detached { other.stop() }
        await stopper.value
        await #expect(throws: RecognitionError.stopped) { try await other.submit([5, 6]) }
        engine.open()
        _ = try await blocker.value
        #expect(try await busy.submit([7, 8]).output.values == [[7, 8]])
        busy.stop()
        busy.stop()
        await #expect(throws: RecognitionError.stopped) { try await busy.submit([9, 9]) }
    }

    @Test func `a model that ends with its queue answers it first`() async throws {
        let (engine, busy, other, _, blocker) = try await pair()
        var tasks: [Task<ModelLine.Inference, any Error>] = []
        for number in 1...3 {
            tasks.append(Task { try await busy.submit([UInt8(number), 0]) })
            try await eventually { busy.queueDepth == number }
        }
        let stopper = Task.detached { busy.stop(finishingQueue: true) }
        engine.open()
        for (index, task) in tasks.enumerated() {
            #expect(try await task.value.output.values == [[Float(index + 1), 0]])
        }
        _ = try await blocker.value
        await stopper.value
        other.stop()
    }
}
