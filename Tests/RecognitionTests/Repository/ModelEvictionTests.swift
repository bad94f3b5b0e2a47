import Base
import Foundation
import Testing
@testable import Recognition

@Suite("Memory of models", .enabled(if: ForeignModels.areThere, TestModels.hint), .timeLimit(.minutes(5)))
struct ModelEvictionTests {
    /// The process's measured memory never grows here, so a model counts with its file's size.
    static let size = 4_947_414

    @Test("Beyond the bound the model goes that was not used for longest, and never the default one")
    func leastRecentlyUsed() async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        let names = ["one", "two", "three", "four"]
        for name in names {
            try models.add(name, file: "squeezenet1.1.onnx", manifest: ModelSwapTests.proposal)
        }
        let observer = ModelEvents()
        let repository = ModelRepository(
            root: models.root, engineOptions: EngineOptions(precision: .f32, lanes: 1),
            limits: ModelRepository.Limits(memory: Self.size * 3), observer: observer, residentMemory: { 0 })
        try repository.setDefault(ModelReference("one"))
        func use(_ name: String) async throws {
            try await repository.withModel(ModelReference(name)) { #expect($0.manifest.name == name) }
        }
        try await use("two")
        try await use("three")
        #expect(repository.readyModels == ["one", "three", "two"])
        try await use("two")
        try await use("four")
        // The order of use was "one", "three", "two". The default model "one" stays.
        #expect(repository.readyModels == ["four", "one", "two"])
        try await use("three")
        #expect(repository.readyModels == ["four", "one", "three"])
        #expect(observer.events.filter { $0.hasPrefix("unloaded") } == ["unloaded three@1", "unloaded two@1"])
        repository.stop()
    }

    @Test("A model that would not fit is refused by name, and the others stay")
    func tooLarge() async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        for name in ["one", "two"] {
            try models.add(name, file: "squeezenet1.1.onnx", manifest: ModelSwapTests.proposal)
        }
        let observer = ModelEvents()
        let repository = ModelRepository(
            root: models.root, engineOptions: EngineOptions(precision: .f32, lanes: 1),
            limits: ModelRepository.Limits(memory: Self.size + 1), observer: observer, residentMemory: { 0 })
        try repository.setDefault(ModelReference("one"))
        #expect(throws: RecognitionError.modelTooLarge(name: "two", bytes: Self.size, limit: Self.size + 1)) {
            try repository.load("two")
        }
        #expect(repository.readyModels == ["one"])
        #expect(observer.events == ["loaded one@1", "failed two"])
        repository.stop()
    }
}

/// The reported events of models, in order.
final class ModelEvents: RecognitionObserver {
    private let list = Locked<[String]>([])

    var events: [String] { list.withLock { $0 } }

    func loaded(_ model: ModelReference, seconds: Double) { list.withLock { $0.append("loaded \(model)") } }
    func failedToLoad(_ model: ModelReference, _ error: RecognitionError) {
        list.withLock { $0.append("failed \(model)") }
    }
    func unloaded(_ models: [ModelReference]) {
        list.withLock { $0 += models.map { "unloaded \($0)" } }
    }
}
