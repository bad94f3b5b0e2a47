import TestSupport
import Testing

@testable import ModelImport

@Suite("Real Core ML files", .enabled(if: CoreMLFixture.areThere, CoreMLFixture.absence))
struct CoreMLRealModelTests {
    @Test(
        "Each is translated to a sound graph with its labels and the output that the answers name",
        arguments: CoreMLFixture.all)
    func conversion(fixture: CoreMLFixture) throws {
        let model = try CoreMLModel(parsing: fixture.bytes()).convert()
        let answers = try fixture.answers()
        let input = try #require(answers["input"])
        let answer = try #require(answers.first { $0.key != "input" })

        #expect(model.labels == (try fixture.labels()))
        #expect([1, model.input.channels.count, model.input.height, model.input.width] == input.shape)
        #expect(model.probabilitiesOutput == answer.key)

        let graph = try ONNXFile(model.onnx)
        #expect(graph.firstUndefinedName == nil)
        #expect(graph.inputs.map(\.shape) == [[-1] + input.shape.dropFirst()])
        #expect(graph.outputs.map(\.shape) == [[-1] + answer.value.shape.dropFirst()])
    }

    @Test("Preprocessing is carried over in the model's own channel order")
    func preprocessing() throws {
        let fruit = try CoreMLModel(parsing: CoreMLFixture(name: "Fruit").bytes()).convert().input
        #expect(fruit.channels == .bgr)
        #expect(fruit.scale == 1)
        #expect(fruit.biases == [-104, -117, -123])
        // This model's preprocessing does not name its input.
        let digits = try CoreMLModel(parsing: CoreMLFixture(name: "MNISTClassifier_umerzia").bytes()).convert()
        #expect(digits.input.channels == .greyscale)
        #expect(digits.input.scale == Float(1) / 255)
        #expect(digits.licence == "BSD-3")
    }

    @Test("The same file always gives the same bytes")
    func deterministic() throws {
        let bytes = try CoreMLFixture(name: "mnistCNN").bytes()
        #expect(try CoreMLModel(parsing: bytes).convert().onnx == CoreMLModel(parsing: bytes).convert().onnx)
    }
}
