import ModelTestSupport
import Base
import Foundation
@testable import Inference
@testable import Models
import TestSupport
import Testing

/// What happens while a model loads that many requests wait for.
@Suite("Waiting for a model", .enabled(if: ForeignModels.areThere, TestModels.hint), .timeLimit(.minutes(2)))
struct ModelDemandTests {
    /// More than Dispatch has threads for.
    private static let requests = 300

    private static var threads: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }

    @Test("No request holds a thread while it waits: others are answered, and who is cancelled leaves at once")
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

        // The loading itself is held up at the gate; nothing else is.
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

    @Test("A model that cannot be loaded is told to everyone who waited")
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
