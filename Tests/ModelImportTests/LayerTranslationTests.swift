import Base
import Testing

@testable import ModelImport

/// A layer applied to a picture of 3×8×6 (C×H×W), with the expected shape and nodes.
struct LayerCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let type: CoreMLLayerType
    let shape: [Int]
    let operations: [String]
    let isExact: Bool
    let parameters: @Sendable (inout ProtocolBufferWriter) -> Void

    init(
        _ name: String, _ type: CoreMLLayerType, exact: Bool = false, shape: [Int], _ operations: [String],
        _ parameters: @escaping @Sendable (inout ProtocolBufferWriter) -> Void = { _ in }
    ) {
        testDescription = name
        self.type = type
        self.shape = shape
        self.operations = operations
        isExact = exact
        self.parameters = parameters
    }
}

@Suite("Translation of layers")
struct LayerTranslationTests {
    private func translate(_ layer: LayerCase) throws -> LayerGraph {
        var file = CoreMLFile(width: 6, height: 8, isExact: layer.isExact)
        file.layers = [CoreMLFile.layer(layer.type, layer.parameters)]
        let network = try CoreMLNetwork(ProtocolBufferMessage(file.network().bytes))
        let graph = LayerGraph(hasExactShapes: layer.isExact)
        graph.blobs["x"] = Blob(value: "x", shape: [1, 3, 8, 6], hasBatch: true)
        try graph.translate(network.layers)
        return graph
    }

    @Test("Each has its shape and its nodes", arguments: LayerCase.spatial + LayerCase.shapes + LayerCase.exact)
    func shape(layer: LayerCase) throws {
        let graph = try translate(layer)
        #expect(graph.blobs["y"]?.shape == layer.shape)
        #expect(graph.onnx.nodes.map(\.operation) == layer.operations)
        #expect(graph.acceptsBatches)
    }

    @Test("Layers that mix the pictures of a batch say so", arguments: LayerCase.mixing)
    func mixing(layer: LayerCase) throws {
        let graph = try translate(layer)
        #expect(graph.blobs["y"]?.shape == layer.shape)
        #expect(!graph.acceptsBatches)
    }

    @Test("All unsupported layers are named at once")
    func unsupported() throws {
        var file = CoreMLFile()
        file.layers = [
            CoreMLFile.layer(number: 410, name: "memory", to: ["a"]),
            CoreMLFile.layer(.activation, name: "after", from: ["a"], to: ["b"]) { $0.message(10) { _ in } },
            CoreMLFile.layer(number: 500, name: "ours", from: ["b"]),
        ]
        let error = #expect(throws: CoreMLError.self) { try CoreMLModel(parsing: file.bytes).convert() }
        #expect(error == .unsupportedLayers([.init(name: "memory", type: "gru"), .init(name: "ours", type: "custom")]))
    }

    @Test("A layer that contradicts its input is named with the reason")
    func invalid() throws {
        var file = CoreMLFile()
        file.layers = [
            CoreMLFile.layer(.innerProduct, name: "fc") { writer in
                writer.integer(7, 1)
                writer.integer(2, 2)
            }
        ]
        let error = try #require(throws: CoreMLError.self) { try CoreMLModel(parsing: file.bytes).convert() }
        #expect(error.description.contains("fc (innerProduct)"))
        #expect(error.description.contains("takes 7 channels"))
    }

    @Test("A layer whose input nothing produces is named")
    func missingInput() throws {
        var file = CoreMLFile()
        file.layers = [CoreMLFile.layer(.softmax, from: ["nowhere"])]
        let error = try #require(throws: CoreMLError.self) { try CoreMLModel(parsing: file.bytes).convert() }
        #expect(error.description.contains("nowhere"))
    }
}
