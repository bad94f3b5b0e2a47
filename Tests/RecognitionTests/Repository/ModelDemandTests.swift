import Base
import Foundation
import TestSupport
import Testing
@testable import Recognition

/// Many requests wait while a model loads.
@Suite("Waiting for a model", .enabled(if: ForeignModels.areThere, TestModels.hint), .timeLimit(.minutes(2)))
struct ModelDemandTests {
    /// More than Dispatch's number of threads.
    private static let requests = 300

    private static var threads: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }

    @Test("A waiting request holds no thread: others are answered, and a cancelled one leaves at once")
    func waiting() async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        for name in ["one", "slow"] {
            try models.add(name, file: "squeezenet1.1.onnx", manifest: ModelSwapTests.proposal)
        }
        let gate = Gate()
        let observer = ModelEvents()
        let repository = ModelRepository(
            root: models.root, engineOptions: EngineOptions(precision: .f32, lanes: 1), observer: observer,
            residentMemory: {
                gate.pass()
                return 0
            })
        try await onThread { try repository.setDefault(ModelReference("one")) }
        let threads = Self.threads
        gate.close()
        defer { gate.open() }
        let begun = Locked(0)
        let waiting = (0..<Self.requests).map { _ in
            Task {
                begun.withLock { $0 += 1 }
                return try await repository.withModel(ModelReference("slow")) { $0.manifest.name }
            }
        }
        while begun.withLock({ $0 }) < Self.requests { await Task.yield() }

        // Only the loading waits at the gate.
        #expect(try await repository.catalogue().map(\.name) == ["one", "slow"])
        #expect(try await repository.withModel(ModelReference("one")) { $0.manifest.name } == "one")
        #expect(Self.threads < threads + 32)
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[0].value }
        #expect(repository.readyModels == ["one"])

        gate.open()
        for task in waiting.dropFirst() { #expect(try await task.value == "slow") }
        #expect(observer.events == ["loaded one@1", "loaded slow@1"])
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                repository.stop()
                continuation.resume()
            }
        }
    }

    @Test("A model is loaded while another one loads")
    func sideBySide() async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        for name in ["one", "slow"] {
            try models.add(name, file: "squeezenet1.1.onnx", manifest: ModelSwapTests.proposal)
        }
        let gate = Gate()
        let repository = ModelRepository(
            root: models.root, engineOptions: EngineOptions(precision: .f32, lanes: 1),
            residentMemory: {
                gate.pass()
                return 0
            })
        gate.close(forNext: 1)
        defer { gate.open() }
        let slow = Task { try await repository.withModel(ModelReference("slow")) { $0.manifest.name } }
        try await eventually { gate.waiting == 1 }
        #expect(try await repository.withModel(ModelReference("one")) { $0.manifest.name } == "one")
        #expect(repository.readyModels == ["one"])
        gate.open()
        #expect(try await slow.value == "slow")
        try await onThread { repository.stop() }
    }

    @Test("Of one name one work is done at a time, of another name beside it, and no more than the queue is wide")
    func queue() async throws {
        let queue = LoadQueue(width: 2)
        let (gate, second) = (Gate(), Gate())
        gate.close()
        second.close()
        defer {
            gate.open()
            second.open()
        }
        let done = Locked<[String]>([])
        try queue.async("held") { gate.pass() }
        for number in 1...20 { try queue.async("held") { done.withLock { $0.append("held \(number)") } } }
        try await onThread { try queue.sync("free") { done.withLock { $0.append("free") } } }
        #expect(done.withLock { $0 } == ["free"])
        try queue.async("held, too") { second.pass() }
        try await eventually { gate.waiting == 1 && second.waiting == 1 }
        try queue.async("third") { done.withLock { $0.append("third") } }
        // Those of the held model, and the third.
        #expect(queue.waiting == 21)
        #expect(done.withLock { $0 } == ["free"])
        second.open()
        try await onThread { try queue.sync("third") {} }
        #expect(done.withLock { $0 } == ["free", "third"])
        gate.open()
        try await onThread { try queue.sync("held") {} }
        #expect(done.withLock { $0 } == ["free", "third"] + (1...20).map { "held \($0)" })
    }

    @Test("The line of models to be loaded is bounded")
    func fullQueue() async throws {
        let queue = LoadQueue(width: 1, maximumWaiting: 2)
        let gate = Gate()
        gate.close()
        defer { gate.open() }
        let done = Locked<[Int]>([])
        try queue.async("held") { gate.pass() }
        try await eventually { gate.waiting == 1 }
        for number in 1...2 { try queue.async("other \(number)") { done.withLock { $0.append(number) } } }
        for name in ["held", "third"] {
            #expect(throws: RecognitionError.overloaded(retryAfter: .seconds(1))) { try queue.async(name) {} }
        }
        gate.open()
        try await eventually { done.withLock { $0 } == [1, 2] }
        try await onThread { try queue.sync("last") {} }
    }

    @Test("What the process grows by while several models load counts once")
    func growth() {
        let bytes = Locked(100)
        let growth = MemoryGrowth { bytes.withLock { $0 } }
        func grow(by more: Int) { bytes.withLock { $0 += more } }
        grow(by: 7)
        let first = growth.begin()
        grow(by: 50)
        let second = growth.begin()
        grow(by: 100)
        #expect(growth.end(first) == 100)
        grow(by: 30)
        #expect(growth.end(second) == 80)
        grow(by: 1_000)
        let alone = growth.begin()
        grow(by: 9)
        #expect(growth.end(alone) == 9)
    }

    @Test("Every waiting request learns that a model cannot be loaded")
    func failing() async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        try models.add("broken", file: "squeezenet1.1.onnx", manifest: "{\"heads\": 1}")
        let repository = ModelRepository(
            root: models.root, engineOptions: EngineOptions(precision: .f32, lanes: 1))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do {
                        try await repository.withModel(ModelReference("broken")) { _ in }
                        return false
                    } catch {
                        return error is RecognitionError
                    }
                }
            }
            for await isTold in group { #expect(isTold) }
        }
        repository.stop()
    }
}
