import Base
import TestSupport
import Testing
@testable import Recognition

@Suite("A model's line", .timeLimit(.minutes(1))) struct ModelLineTests {
    /// A line whose engine is busy with one photo, and the task that waits for that photo.
    func busy(
        _ engine: FakeEngine, policy: QueuePolicy = QueuePolicy(), observer: any RecognitionObserver = NoObserver()
    ) async throws -> (ModelLine, Task<ModelLine.Inference, any Error>) {
        let line = try ModelLine(engine: engine, policy: policy, observer: observer)
        let blocker = Task { try await line.submit([255, 0]) }
        try await eventually { engine.photos.count == 1 }
        return (line, blocker)
    }

    @Test func `each photo gets its own answer`() async throws {
        let engine = FakeEngine(lanes: 2)
        let line = try ModelLine(engine: engine, policy: QueuePolicy())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for photo in UInt8(0)..<200 {
                group.addTask {
                    let inference = try await line.submit([photo, photo ^ 0x55])
                    #expect(inference.output.values == [[Float(photo), Float(photo ^ 0x55)]])
                }
            }
            try await group.waitForAll()
        }
        #expect(engine.photos.sorted() == Array(0..<200))
        line.stop()
    }

    @Test func `photos that arrive while the engine is busy leave in order`() async throws {
        let engine = FakeEngine()
        let (line, blocker) = try await busy(engine)
        var waiting: [Task<ModelLine.Inference, any Error>] = []
        for photo in UInt8(1)...5 {
            waiting.append(Task { try await line.submit([photo, 0]) })
            try await eventually { line.queueDepth == Int(photo) }
        }
        engine.open()
        _ = try await blocker.value
        for task in waiting { _ = try await task.value }
        #expect(engine.photos == [255, 1, 2, 3, 4, 5])
        line.stop()
    }

    @Test func `a full queue refuses at once and says for how long`() async throws {
        let engine = FakeEngine()
        let observer = CountingObserver()
        let (line, blocker) = try await busy(engine, policy: QueuePolicy(maximumDepth: 1), observer: observer)
        let waiting = Task { try await line.submit([1, 0]) }
        try await eventually { line.queueDepth == 1 }
        let error = await #expect(throws: RecognitionError.self) { try await line.submit([2, 0]) }
        guard case .overloaded(let wait) = error else {
            Issue.record("\(String(describing: error)) is no overload")
            return
        }
        #expect(wait > .zero)
        #expect(observer.counts.refused == 1)
        engine.open()
        _ = try await (blocker.value, waiting.value)
        line.stop()
    }

    @Test func `a cancelled photo never reaches the engine`() async throws {
        let engine = FakeEngine()
        let observer = CountingObserver()
        let (line, blocker) = try await busy(engine, observer: observer)
        let leaving = Task { try await line.submit([1, 0]) }
        try await eventually { line.queueDepth == 1 }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        engine.open()
        _ = try await blocker.value
        #expect(engine.photos == [255])
        #expect(observer.counts.departed == 1)
        line.stop()
    }

    @Test func `a task cancelled before it submits is not admitted`() async throws {
        let engine = FakeEngine()
        let (line, blocker) = try await busy(engine)
        let leaving = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await line.submit([1, 0])
        }
        await #expect(throws: CancellationError.self) { try await leaving.value }
        #expect(line.queueDepth == 0)
        engine.open()
        _ = try await blocker.value
        line.stop()
    }

    @Test func `a photo past its deadline is dropped`() async throws {
        let engine = FakeEngine()
        let observer = CountingObserver()
        let (line, blocker) = try await busy(engine, observer: observer)
        let late = Task { try await line.submit([1, 0], deadline: .now) }
        try await eventually { line.queueDepth == 1 }
        engine.open()
        await #expect(throws: RecognitionError.deadlineExceeded) { try await late.value }
        _ = try await blocker.value
        #expect(engine.photos == [255])
        #expect(observer.counts.expired == 1)
        line.stop()
    }

    @Test func `an engine's failure is the one photo's own`() async throws {
        let engine = FakeEngine()
        let (line, blocker) = try await busy(engine)
        let bad = Task { try await line.submit([1, 2, 3]) }
        let good = Task { try await line.submit([4, 5]) }
        try await eventually { line.queueDepth == 2 }
        engine.open()
        await #expect(throws: RecognitionError.engine("3 bytes")) { try await bad.value }
        let values = try await good.value.output.values
        #expect(values == [[4, 5]])
        _ = try await blocker.value
        line.stop()
    }

    @Test func `stopping refuses waiting photos and finishes those in work`() async throws {
        let engine = FakeEngine()
        let (line, blocker) = try await busy(engine)
        let waiting = Task { try await line.submit([1, 0]) }
        try await eventually { line.queueDepth == 1 }
        let stopper = Task.detached { line.stop() }
        await #expect(throws: RecognitionError.stopped) { try await waiting.value }
        engine.open()
        _ = try await blocker.value
        await stopper.value
        await #expect(throws: RecognitionError.stopped) { try await line.submit([2, 0]) }
    }
}
