import Foundation
import TestSupport
import Testing
@testable import Recognition

@Suite struct SharedNetworkTests {
    private static let base = "menagerie"

    /// - Parameter written: the difference between the weights in `head.json` and in the network.
    private func trainedVersion(in folder: String, written change: Float = 0) throws {
        let store = ModelStore(roots: [TestModels.directory, folder])
        let version = try #require(store.versions(of: Self.base).last)
        let (classes, features) = (3, 2_560)
        func head(_ change: Float) -> TrainedHead {
            TrainedHead(
                labels: ["a", "b", "c"], centre: (0..<features).map { Float($0 % 5) / 10 },
                weights: (0..<classes * features).map { Float($0 % 17) / 8 - 1 + change }, bias: [0.1, 0.2, 0.3],
                temperature: 1, abstainBelow: 0)
        }
        let reference = ModelReference(name: Self.base, version: version)
        let trained = try TrainedModel(
            head(0), on: reference, in: store, name: "mine", version: "1", origin: "a test")
        let place = folder + "/mine/1"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try Data(trained.onnx).write(to: URL(filePath: place + "/" + TrainedModel.file))
        try trained.manifest.json().write(to: URL(filePath: place + "/manifest.json"))
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        try encoder.encode(TrainedHeadFile(base: reference.description, head: head(change)))
            .write(to: URL(filePath: place + "/" + TrainedHeadFile.name))
    }

    private func repository(_ folder: String) -> ModelRepository {
        ModelRepository(
            root: TestModels.directory, trainedRoot: folder,
            engineOptions: EngineOptions(precision: .f32, lanes: 2, cacheDirectory: CompiledModels.folder))
    }

    @Test func `a trained version shares the network of its base, and answers as its own would`() async throws {
        let folder = try TemporaryFolder()
        try trainedVersion(in: folder.path)
        let photos = TestModels.noise(6, size: 192 * 192 * 3)
        var answers: [[[[Float]]]] = []
        for isShared in [true, false] {
            let repository = repository(folder.path)
            defer { repository.stop() }
            if isShared { try await repository.makeDefault(ModelReference(name: Self.base)) }
            let model = try repository.load("mine")
            #expect((model.engine is TrainedHeadEngine) == isShared)
            #expect(model.outputs.map(\.name) == ["classes", "features"])
            var outputs: [[[Float]]] = []
            for photo in photos { outputs.append(try await model.line.submit(photo).output.values) }
            answers.append(outputs)
        }
        for (shared, own) in zip(answers[0], answers[1]) {
            for (one, other) in zip(shared.joined(), own.joined()) {
                #expect(abs(one - other) <= 1e-3 * max(1, abs(other)))
            }
        }
    }

    @Test func `base and trained version are asked at once, and neither disturbs the other`() async throws {
        let folder = try TemporaryFolder()
        try trainedVersion(in: folder.path)
        let repository = repository(folder.path)
        defer { repository.stop() }
        try await repository.makeDefault(ModelReference(name: Self.base))
        let (base, mine) = (try repository.model(Self.base), try repository.load("mine"))
        let photos = TestModels.noise(8, size: 192 * 192 * 3)
        var alone: [[[Float]]] = []
        for photo in photos {
            alone.append(try await base.line.submit(photo).output.values)
            alone.append(try await mine.line.submit(photo).output.values)
        }
        let together = try await withThrowingTaskGroup(of: (Int, [[Float]]).self) { group in
            for round in 0..<5 {
                for index in 0..<2 * photos.count {
                    let model = index % 2 == 0 ? base : mine
                    group.addTask {
                        (round * 100 + index, try await model.line.submit(photos[index / 2]).output.values)
                    }
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(together.count == 10 * photos.count)
        for (key, values) in together { #expect(values == alone[key % 100], "\(key)") }
    }

    @Test func `a head file that is not what the network holds is not shared`() async throws {
        let folder = try TemporaryFolder()
        try trainedVersion(in: folder.path, written: 0.5)
        let repository = repository(folder.path)
        defer { repository.stop() }
        try await repository.makeDefault(ModelReference(name: Self.base))
        #expect(try repository.load("mine").engine is TrainedHeadEngine == false)
    }

    @Test(arguments: [
        TrainedHead(labels: ["a", "b"], weights: [1, 2, 3, 4], bias: [1], temperature: 1, abstainBelow: 0),
        TrainedHead(labels: ["a", "b"], weights: [1, 2, 3], bias: [1, 2], temperature: 1, abstainBelow: 0),
        TrainedHead(
            labels: ["a", "b"], centre: [1], weights: [1, 2, 3, 4], bias: [1, 2], temperature: 1, abstainBelow: 0),
    ])
    func `a head whose numbers do not fit together is not read`(head: TrainedHead) throws {
        let folder = try TemporaryFolder()
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        try encoder.encode(TrainedHeadFile(base: Self.base, head: head))
            .write(to: URL(filePath: folder.path + "/" + TrainedHeadFile.name))
        #expect(TrainedHeadFile(in: folder.path) == nil)
    }
}
