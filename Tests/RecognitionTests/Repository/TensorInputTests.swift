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

    @Test("It is compiled once, and no request holds a thread meanwhile")
    func waiting() async throws {
        let gate = Gate()
        let made = Locked(0)
        let input = TensorInput(residentMemory: { 0 }) { () throws(RecognitionError) in
            gate.pass()
            made.withLock { $0 += 1 }
            return FakeEngine()
        }
        let lanes = LaneScheduler(policy: QueuePolicy())
        let open: @Sendable (any InferenceEngine) throws(RecognitionError) -> ModelLine = {
            engine throws(RecognitionError) in try ModelLine(engine: engine, lanes: lanes)
        }
        let threads = Self.threads
        gate.close()
        let begun = Locked(0)
        let waiting = (0..<Self.requests).map { _ in
            Task {
                begun.withLock { $0 += 1 }
                try await input.prepare(open)
            }
        }
        while begun.withLock({ $0 }) < Self.requests { await Task.yield() }
        #expect(Self.threads < threads + 32)
        #expect(input.line == nil)
        gate.open()
        for task in waiting { try await task.value }
        #expect(made.withLock { $0 } == 1 && input.line != nil)
        try await onThread { input.stop(finishingQueue: false) }
    }

    @Test("After a failure the next one tries again")
    func failing() async throws {
        let attempts = Locked(0)
        let input = TensorInput(residentMemory: { 0 }) { () throws(RecognitionError) in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            guard attempt > 1 else { throw .engine("no memory") }
            return FakeEngine()
        }
        let lanes = LaneScheduler(policy: QueuePolicy())
        let open: @Sendable (any InferenceEngine) throws(RecognitionError) -> ModelLine = {
            engine throws(RecognitionError) in try ModelLine(engine: engine, lanes: lanes)
        }
        await #expect(throws: RecognitionError.engine("no memory")) {
            try await input.prepare(open)
        }
        try await input.prepare(open)
        #expect(input.line != nil)
        try await onThread { input.stop(finishingQueue: false) }
    }
}
