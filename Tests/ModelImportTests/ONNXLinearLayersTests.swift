import Base
import Testing
@testable import ModelImport

@Suite("Linear layers of ONNX files") struct ONNXLinearLayersTests {
    /// `y = round(x) · weights + bias`, with weights of 3 × 2.
    struct File {
        /// The number of dimensions that the file tells of the product. Nil tells nothing.
        var rank: Int? = 3
        var steps = ["scale", "zero"]
        /// TensorProto.DataType of the zero point: 2 uint8, 3 int8.
        var type = 3
        var zeroPoint: UInt8 = 0xFE
        var weights = "weights"
        var last = "Add"
        var bias: [Float] = [10, 20]
        var outputs = ["y"]
        /// The nodes that have no result.
        var silent: Set<String> = []

        var bytes: [UInt8] {
            var model = ProtocolBufferWriter()
            model.integer(8, 1)
            model.message(7) { graph in
                func tensor(_ name: String, _ shape: [Int], _ type: Int, _ data: [UInt8]) {
                    graph.message(5) {
                        $0.integers(shape, 1)
                        $0.integer(type, 2)
                        $0.string(name, 8)
                        $0.data(data, 9)
                    }
                }
                func node(_ operation: String, _ inputs: [String], _ output: String) {
                    let node = ONNXNode(
                        operation: operation, name: output, inputs: inputs,
                        outputs: silent.contains(operation) ? [] : [output], attributes: [:])
                    graph.message(1) { node.write(to: &$0) }
                }
                tensor("scale", [], 1, ONNXTensor(scalar: 0.5).data)
                tensor("zero", [], type, [zeroPoint])
                tensor("q", [3, 2], 3, [1, 0xFF, 2, 0, 0xFD, 4])
                tensor("scales", [2], 1, ONNXTensor([1, 10], shape: [2]).data)
                tensor("zeros", [2], 3, [0, 0])
                tensor("bias", [bias.count], 1, ONNXTensor(bias, shape: []).data)
                node("QuantizeLinear", ["x"] + steps, "bytes")
                node("DequantizeLinear", ["bytes", "scale", "zero"], "rounded")
                node("DequantizeLinear", ["q", "scales", "zeros"], "weights")
                node("MatMul", ["rounded", weights], "product")
                node(last, ["bias", "product"], "y")
                if let rank {
                    graph.value("product", Array(repeating: .size(1), count: rank), 13)
                }
                for output in outputs { graph.message(12) { $0.string(output, 1) } }
            }
            model.message(8) { $0.integer(17, 2) }
            return model.bytes
        }
    }

    @Test func `become convolutions`() throws {
        let found = try #require(ONNXLinearLayers(File().bytes)).asConvolutions()
        let nodes = try ONNXFile(found).nodes
        let operations = [
            "QuantizeLinear", "DequantizeLinear", "Transpose", "Reshape", "DequantizeLinear", "Transpose", "Reshape",
            "Conv", "Reshape", "Transpose",
        ]
        #expect(nodes.map(\.operation) == operations)
        #expect(nodes.last?.outputs == ["y"])
        #expect(ONNXLinearLayers(found) == nil)
    }

    /// The sums of the weights' columns are 0 and 30.
    @Test(arguments: [(3, 126), (2, 254)])
    func `have no zero point, which the bias makes up for`(_ type: Int, zeroPoint: UInt8) throws {
        let file = File(type: type, zeroPoint: 0xFE)
        let found = try #require(ONNXLinearLayers(file.bytes)).asConvolutions()
        let graph = try #require(try ProtocolBufferMessage(found).message("graph", 7))
        var tensors: [String: [UInt8]] = [:]
        for tensor in try graph.messages("initializer", 5) {
            tensors[try tensor.string("name", 8)] = try tensor.bytesRange("raw_data", 9).map { Array(tensor.bytes[$0]) }
        }
        #expect(tensors["product/convolution/zero_point"] == [zeroPoint])
        #expect(tensors["product/convolution/no_zero_point"] == [0])
        let bias: [Float] = [10, 20 - 0.5 * Float(zeroPoint) * 30]
        #expect(tensors["product/convolution/bias"] == ONNXTensor(bias, shape: []).data)
    }

    static let others = [
        File(rank: nil), File(rank: 2), File(steps: ["scale"]), File(steps: ["bias", "zero"]), File(weights: "x"),
        File(weights: "rounded"), File(last: "Mul"), File(bias: [1]), File(outputs: ["y", "product"]),
        File(outputs: ["y", "rounded"]), File(type: 4),
        File(silent: ["QuantizeLinear"]), File(silent: ["MatMul"]), File(silent: ["Add"]),
    ]

    @Test(arguments: others)
    func `of other forms stay`(_ file: File) {
        #expect(ONNXLinearLayers(file.bytes) == nil)
    }
}
