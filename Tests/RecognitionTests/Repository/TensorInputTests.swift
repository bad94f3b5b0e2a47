import Base
import Foundation
import TestSupport
import Testing
@testable import Recognition

/// Many requests bring a network's own tensor while it is compiled for that.
@Suite("Waiting for a tensor's network", .timeLimit(.minutes(2)))
struct TensorInputTests {
    /// More than Dispatch's number of threads.
    private static let requests = 300

    private static var threads: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }

    private static func model(
        _ make: @escaping @Sendable () throws(RecognitionError) -> any InferenceEngine
    ) throws -> LoadedModel {
        let first = CascadeTests.first()
        return try LoadedModel(
            manifest: CascadeTests.manifest(CascadeTests.cascade), engine: first,
            tensors: DeferredEngine(like: first, outputs: first.outputNames, residentMemory: { 0 }, make: make),
            lanes: LaneScheduler(policy: QueuePolicy()), observer: NoObserver())
    }

    private static func submit(to model: LoadedModel) async throws -> [[Float]] {
        try await model.submit(tensor: [1, 2], priority: .interactive, deadline: nil).output.values
    }

    @Test("It is compiled once, and no request holds a thread meanwhile")
    func waiting() async throws {
        let gate = Gate()
        let made = Locked(0)
        let model = try Self.model { () throws(RecognitionError) in
            gate.pass()
            made.withLock { $0 += 1 }
            return CascadeTests.first()
        }
        let threads = Self.threads
        gate.close()
        let begun = Locked(0)
        let waiting = (0..<Self.requests).map { _ in
            Task {
                begun.withLock { $0 += 1 }
                try await model.prepareForTensors()
            }
        }
        while begun.withLock({ $0 }) < Self.requests { await Task.yield() }
        #expect(Self.threads < threads + 32)
        #expect(made.withLock { $0 } == 0)
        #expect(model.memory == 0)
        gate.open()
        for task in waiting { try await task.value }
        #expect(made.withLock { $0 } == 1)
        #expect(try await Self.submit(to: model) == [[2, 0], [7], [1, 0, 0]])
        try await onThread { model.stop() }
    }

    @Test("After a failure the next one tries again")
    func failing() async throws {
        let attempts = Locked(0)
        let model = try Self.model { () throws(RecognitionError) in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            guard attempt > 1 else { throw .engine("no memory") }
            return CascadeTests.first()
        }
        await #expect(throws: RecognitionError.engine("no memory")) {
            try await model.prepareForTensors()
        }
        try await model.prepareForTensors()
        #expect(try await Self.submit(to: model) == [[2, 0], [7], [1, 0, 0]])
        try await onThread { model.stop() }
        await #expect(throws: RecognitionError.self) { try await Self.submit(to: model) }
    }
}
