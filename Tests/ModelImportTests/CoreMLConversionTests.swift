import Base
import Testing

@testable import ModelImport

@Suite("What is carried over from a Core ML file")
struct CoreMLConversionTests {
    private func relu() -> CoreMLFile {
        var file = CoreMLFile()
        file.layers = [CoreMLFile.layer(.activation) { $0.message(10) { _ in } }]
        return file
    }

    private func scaler(_ writer: inout ProtocolBufferWriter) {
        writer.message(10) { scaler in
            scaler.float(0.5, 10)
            scaler.float(1, 20)
            scaler.float(2, 21)
            scaler.float(3, 22)
            scaler.float(4, 30)
        }
    }

    @Test(
        "Biases are in the picture's own order",
        arguments: [(20, .rgb, [3, 2, 1]), (30, .bgr, [1, 2, 3]), (10, .greyscale, [4])]
            as [(Int, ImportedModel.ChannelOrder, [Float])])
    func biases(colourSpace: Int, order: ImportedModel.ChannelOrder, biases: [Float]) throws {
        var file = relu()
        file.colourSpace = colourSpace
        file.preprocessing = [scaler]
        let input = try CoreMLModel(parsing: file.bytes).convert().input
        #expect(input.channels == order)
        #expect(input.scale == 0.5)
        #expect(input.biases == biases)
    }

    @Test(
        "A scale that makes no finite numbers is refused",
        arguments: [(.nan, 0), (.infinity, 0), (.leastNonzeroMagnitude, 0), (1, .nan), (0.1, 3e38)] as [(Float, Float)])
    func scale(_ scale: Float, bias: Float) throws {
        var file = relu()
        file.preprocessing = [
            {
                $0.message(10) { scaler in
                    scaler.float(scale, 10)
                    scaler.float(bias, 20)
                }
            }
        ]
        let error = #expect(throws: CoreMLError.self) { try CoreMLModel(parsing: file.bytes).convert() }
        #expect(error?.description.contains("its scale") == true, "\(error as Any)")
    }

    @Test("A mean image is subtracted inside the graph")
    func meanImage() throws {
        var file = relu()
        (file.colourSpace, file.width, file.height) = (10, 2, 1)
        file.preprocessing = [{ $0.message(11) { $0.floats([5, 7], 1) } }]
        let model = try CoreMLModel(parsing: file.bytes).convert()
        #expect(model.input.scale == 1)
        #expect(model.input.biases == [0])
        #expect(try ONNXFile(model.onnx).nodes.map(\.operation) == ["Sub", "Relu", "Identity"])

        file.preprocessing = [{ $0.message(11) { $0.floats([5], 1) } }]
        #expect(throws: CoreMLError.self) { try CoreMLModel(parsing: file.bytes).convert() }
    }

    @Test("Labels and probabilities belong together")
    func classifier() throws {
        var file = CoreMLFile(width: 1, height: 1, labels: ["a", "b", "c"])
        file.layers = [CoreMLFile.layer(.softmax)]
        let model = try CoreMLModel(parsing: file.bytes).convert()
        #expect(model.labels == ["a", "b", "c"])
        #expect(model.probabilitiesOutput == "y")
        #expect(try ONNXFile(model.onnx).outputs.map(\.shape) == [[-1, 3]])
        #expect(model.licence == "MIT")

        file.labels.removeLast()
        let error = #expect(throws: CoreMLError.self) { try CoreMLModel(parsing: file.bytes).convert() }
        #expect(error == .invalidFeature(name: "y", reason: "3 probabilities for 2 labels"))
    }

    @Test("A detector's pipeline is its network, with the labels of its suppression")
    func detector() throws {
        let bytes = relu().pipeline([
            { model in
                model.integer(3, 1)
                model.message(610) { suppression in
                    suppression.message(1) { $0.integer(1, 1) }
                    suppression.message(100) { $0.string("cat", 1) }
                    suppression.string("y", 200)
                    suppression.string("boxes", 201)
                }
            }
        ])
        let model = try CoreMLModel(parsing: bytes).convert()
        #expect(model.labels == ["cat"])
        #expect(model.probabilitiesOutput == nil)
    }

    @Test("Other pipelines and other models are refused by name")
    func others() throws {
        let pipeline = relu().pipeline([
            { model in
                model.integer(3, 1)
                model.message(400) { _ in }
            }
        ])
        let error = #expect(throws: CoreMLError.self) { try CoreMLModel(parsing: pipeline).convert() }
        #expect(error == .unsupportedPipeline(stages: ["neuralNetwork", "glmClassifier"]))

        var tree = ProtocolBufferWriter()
        tree.integer(1, 1)
        tree.message(402) { _ in }
        let other = #expect(throws: CoreMLError.self) { try CoreMLModel(parsing: tree.bytes).convert() }
        #expect(other == .unsupportedModel(kind: "treeEnsembleClassifier"))
    }
}
