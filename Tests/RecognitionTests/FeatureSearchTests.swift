import Base
import Foundation
import TestSupport
import Testing
@testable import Recognition

@Suite(.slow) struct FeatureSearchTests {
    /// Base networks with floating-point and quantised weights, and one in Core ML's format.
    @Test(
        .enabled(if: ForeignModels.areThere),
        arguments: [("squeezenet", 512), ("mobilenet_v2_int8", 1_280), ("fruit", 512)])
    func whatTheClassifierReadsIsWhatTheHeadStandsOn(name: String, count: Int) async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        if let classifier = ForeignModels.Classifier.all.first(where: { $0.name == name }) {
            try models.add(
                name, file: classifier.file, also: [ForeignModels.Classifier.labels], manifest: classifier.manifest)
        } else {
            try models.add(name, file: "mlmodel/Fruit.mlmodel")
        }
        let repository = models.repository()
        defer { repository.stop() }
        let reference = ModelReference(name: name, version: "1")
        let (features, seen) = try await repository.withFeatures(of: reference) { model in
            let input = model.manifest.input
            let picture = (0..<input.width * input.height * 3).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            let output = try await model.line.submit(picture).output
            return (output.values[try #require(model.featuresOutput)], picture)
        }
        #expect(features.count == count && features.contains { $0 != 0 })
        // The output existed only for the search.
        #expect(try repository.model(name).hasFeatures == false)

        // Each class of this head reads one feature, so its logits are those features. The head has its own file.
        let chosen = [0, 1, count - 1]
        let head = TrainedHead(
            labels: ["a", "b", "c"],
            weights: chosen.flatMap { feature in (0..<count).map { $0 == feature ? 1 : 0 } }, bias: [0, 0, 0],
            temperature: 1, abstainBelow: 0)
        let trained = try TrainedModel(
            head, on: reference, in: repository.store, name: "trained", version: "1", origin: "a test")
        let folder = models.root + "/trained/1"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(trained.onnx).write(to: URL(filePath: folder + "/" + TrainedModel.file))
        try trained.manifest.json().write(to: URL(filePath: folder + "/manifest.json"))
        try await repository.withModel(ModelReference(name: "trained")) { model in
            #expect(model.featureCount == count)
            let output = try await model.line.submit(seen).output
            let logits = output.values[try #require(model.outputs.firstIndex { $0.name == "classes" })]
            for (logit, feature) in zip(logits, chosen) {
                #expect(abs(logit - features[feature]) <= 1e-3 * max(1, abs(features[feature])))
            }
        }
    }

    @Test(.enabled(if: ForeignModels.areThere)) func otherFormatsAreRefused() async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        let classifier = try #require(ForeignModels.Classifier.all.first { $0.name == "mobilenet_v2" })
        try models.add(
            "tflite", file: classifier.file, also: [ForeignModels.Classifier.labels], manifest: classifier.manifest)
        let repository = models.repository()
        defer { repository.stop() }
        await #expect(throws: RecognitionError.noFeatures("tflite", reason: "it is neither ONNX nor Core ML")) {
            try await repository.withFeatures(of: ModelReference(name: "tflite")) { _ in }
        }
    }
}
