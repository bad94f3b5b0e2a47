import Base
import Foundation
import Imaging
import Synchronization
import TestSupport
import Testing
@testable import Recognition

@Suite("Swapping models", .slow, .enabled(if: ForeignModels.areThere, TestModels.hint), .timeLimit(.minutes(5)))
struct ModelSwapTests {
    static let proposal = #"{"input": {"scale": "x/255"}, "heads": {"c": {"classes": 1000, "output": "prob"}}}"#

    /// Requests that continue until the test stops them.
    private final class Load: Sendable {
        let isOver = Atomic(false)
    }

    func twoVersions() throws -> ForeignModels {
        let models = try ForeignModels()
        for version in ["1", "2"] {
            try models.add("net", version: version, file: "squeezenet1.1.onnx", manifest: Self.proposal)
        }
        return models
    }

    @Test("A hundred swaps and rollbacks under load fail no request and leave no memory behind")
    func swaps() async throws {
        let models = try twoVersions()
        defer { models.remove() }
        let repository = models.repository()
        try repository.load("net", version: "1")
        let reference = try ModelReference("net")
        let load = Load()
        var memory: [Int] = []
        let versions = try await withThrowingTaskGroup(of: Set<String>.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var seen: Set<String> = []
                    while !load.isOver.load(ordering: .relaxed) {
                        try await repository.withModel(reference) { model in
                            _ = try await model.line.submit([UInt8](repeating: 7, count: 224 * 224 * 3))
                            seen.insert(model.manifest.version)
                        }
                    }
                    return seen
                }
            }
            defer { load.isOver.store(true, ordering: .relaxed) }
            for swap in 0..<100 {
                try await repository.load(ModelReference(name: "net", version: swap % 2 == 0 ? "2" : "1"))
                memory.append(ResidentMemory.bytes)
            }
            load.isOver.store(true, ordering: .relaxed)
            return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(versions == ["1", "2"])
        // A leaked network would add its 5 MB, and as much for its compiled form, in every round.
        #expect(memory[90...].min() ?? 0 < (memory[10..<20].max() ?? 0) + 40_000_000)
        repository.stop()
    }

    @Test("A model that became unreadable is not read again for each request")
    func failedReload() async throws {
        let models = try twoVersions()
        defer { models.remove() }
        let events = ModelEvents()
        let repository = ModelRepository(
            root: models.root, engineOptions: EngineOptions(precision: .f32, lanes: 1), observer: events)
        let reference = try ModelReference("net")
        try await repository.withModel(reference) { #expect($0.manifest.version == "2") }
        try repository.unload(reference)
        let file = models.root + "/net/2/squeezenet1.1.onnx"
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: file)
        try FileManager.default.removeItem(atPath: file)
        for _ in 0..<3 {
            await #expect(throws: RecognitionError.self) { try await repository.withModel(reference) { _ in } }
        }
        #expect(events.events.filter { $0.hasPrefix("failed") } == ["failed net@2"])
        // A load that somebody asks for is tried at once, and its success is remembered.
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
        try await repository.load(reference)
        try repository.unload(reference)
        try await repository.withModel(reference) { #expect($0.manifest.version == "2") }
        repository.stop()
    }

    @Test("The facts about deleted versions are forgotten")
    func facts() async throws {
        let models = try twoVersions()
        defer { models.remove() }
        let repository = models.repository()
        func known() -> [String] { repository.state.withLock { $0.facts.keys.map(\.version).sorted() } }
        for version in ["1", "2"] { _ = try await repository.status(of: ModelReference(name: "net", version: version)) }
        #expect(known() == ["1", "2"])
        try FileManager.default.removeItem(atPath: models.root + "/net/1")
        _ = try await repository.status(of: ModelReference("net"))
        #expect(known() == ["2"])
        try repository.withdraw("net")
        #expect(known().isEmpty)
        repository.stop()
    }

    @Test("Versions are named apart, and a broken one leaves its predecessor in service")
    func versions() async throws {
        let models = try twoVersions()
        defer { models.remove() }
        let repository = models.repository()
        #expect(try repository.load("net").manifest.version == "2")
        #expect(try repository.load("net", version: "1").manifest.version == "1")
        #expect(try repository.model("net").manifest.version == "1")
        #expect(try repository.model("net@2").manifest.version == "2")
        try models.add("net", version: "3", file: "README.md", manifest: #"{"file": "README.md"}"#)
        #expect(throws: RecognitionError.self) { try repository.load("net") }
        #expect(try repository.model("net").manifest.version == "1")
        #expect(throws: RecognitionError.unknownModel("net@4")) { try repository.load("net", version: "4") }
        repository.stop()
    }

    @Test("The least recently used model makes room; the default one stays")
    func eviction() async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        for name in ["one", "two", "three"] {
            try models.add(name, file: "squeezenet1.1.onnx", manifest: Self.proposal)
        }
        // The limit leaves room only for pinned models, so each load evicts all others.
        let repository = models.repository(limits: ModelRepository.Limits(memory: 1))
        #expect(throws: RecognitionError.self) { try repository.load("one") }
        #expect(repository.readyModels.isEmpty)
        let probe = models.repository()
        let size = try probe.load("one").memory
        probe.stop()
        let roomy = models.repository(limits: ModelRepository.Limits(memory: size * 20))
        try roomy.setDefault(ModelReference("one"))
        try roomy.load("two")
        try roomy.load("three")
        #expect(roomy.readyModels == ["one", "three", "two"])
        #expect(throws: RecognitionError.modelInUse("one")) { try roomy.unload(ModelReference("one")) }
        try roomy.unload(ModelReference("two"))
        #expect(roomy.readyModels == ["one", "three"])
        // Unloading again changes nothing. A request that names the model loads it again.
        try roomy.unload(ModelReference("two"))
        try await roomy.withModel(ModelReference("two")) { #expect($0.manifest.name == "two") }
        #expect(roomy.readyModels == ["one", "three", "two"])
        roomy.stop()
    }

    @Test("An unused model is unloaded, and loaded again by the next request")
    func idle() async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        for name in ["one", "two"] { try models.add(name, file: "squeezenet1.1.onnx", manifest: Self.proposal) }
        let repository = models.repository(limits: ModelRepository.Limits(idleTimeout: .seconds(600)))
        try repository.setDefault(ModelReference("one"))
        try repository.load("two")
        repository.unloadIdle(now: .now + .seconds(700))
        #expect(repository.readyModels == ["one"])
        try await repository.withModel(ModelReference("two")) { #expect($0.manifest.name == "two") }
        #expect(repository.readyModels == ["one", "two"])
        repository.stop()
    }
}
