import Base
import Foundation
import Testing

@testable import ModelImport

@Suite("Quantised weights of ONNX files") struct ONNXDequantisationTests {
    /// An ONNX model with a weight that is dequantised: `y = x + dequantised(weight)`.
    struct File {
        var operation = "DequantizeLinear"
        var shape = [2, 3]
        /// TensorProto.DataType: 2 uint8, 3 int8, 6 int32.
        var type = 3
        var values: [UInt8] = [0, 1, 2, 0xFF, 0xFE, 0x80]
        var scales: [Float] = [0.5, 2]
        var zeroPoints: [UInt8]? = [0, 1]
        var attributes = ["axis": 0]
        var output = "weight"
        /// Whether a tensor's data is in another file.
        var isSplit = false
        /// The operation on the values before they are dequantised.
        var preparation = "Identity"
        /// The operation on activations after they were rounded.
        var between: String?
        /// The last operation.
        var last = "Add"
        var factors = ["x", "weight"]

        private func tensor(
            _ name: String, _ shape: [Int], _ type: Int, _ data: [UInt8], in graph: inout ProtocolBufferWriter
        ) {
            graph.message(5) {
                $0.integers(shape, 1)
                $0.integer(type, 2)
                $0.string(name, 8)
                $0.data(data, 9)
            }
        }

        var bytes: [UInt8] {
            var model = ProtocolBufferWriter()
            model.integer(8, 1)
            model.message(7) { graph in
                tensor("q", shape, type, values, in: &graph)
                tensor("s", scales.count == 1 ? [] : [scales.count], 1, ONNXTensor(scales, shape: []).data, in: &graph)
                if let zeroPoints { tensor("z", [zeroPoints.count], type, zeroPoints, in: &graph) }
                let preparation = ONNXNode(
                    operation: preparation, name: "p", inputs: ["q"], outputs: ["prepared"], attributes: [:])
                graph.message(1) { preparation.write(to: &$0) }
                let inputs = ["prepared", "s"] + (zeroPoints == nil ? [] : ["z"])
                let attributes = attributes.mapValues { ONNXAttribute.integer($0) }
                let node = ONNXNode(
                    operation: operation, name: "d", inputs: inputs, outputs: ["weight"], attributes: attributes)
                graph.message(1) { node.write(to: &$0) }
                if let between {
                    for (operation, inputs, output) in [
                        ("QuantizeLinear", ["x", "s"], "bytes"), ("DequantizeLinear", ["bytes", "s"], "rounded"),
                        (between, ["rounded"], "moved"),
                    ] {
                        let node = ONNXNode(
                            operation: operation, name: output, inputs: inputs, outputs: [output], attributes: [:])
                        graph.message(1) { node.write(to: &$0) }
                    }
                }
                let last = ONNXNode(operation: last, name: "a", inputs: factors, outputs: ["y"], attributes: [:])
                graph.message(1) { last.write(to: &$0) }
                graph.message(12) { $0.string(output, 1) }
                if isSplit { graph.message(5) { $0.integer(1, 14) } }
            }
            model.message(8) { $0.integer(17, 2) }
            return model.bytes
        }
    }

    /// The values of the constant `weight`. Nil if the file is not translated.
    func dequantised(_ file: File) throws -> [Float]? {
        guard let found = ONNXDequantisation(file.bytes) else { return nil }
        let onnx = try ONNXFile(found.onnx())
        #expect(onnx.nodes.map(\.operation) == ["Identity", "Add"])
        let graph = try #require(try ProtocolBufferMessage(found.onnx()).message("graph", 7))
        let tensor = try #require(
            try graph.messages("initializer", 5).first { try $0.string("name", 8) == "weight" })
        #expect(try tensor.sizes("dims", 1) == file.shape)
        let range = try #require(try tensor.bytesRange("raw_data", 9))
        return tensor.bytes[range].withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    @Test func `become (value − zero point) · scale`() throws {
        var file = File(output: "y")
        #expect(try dequantised(file) == [0, 0.5, 1, -4, -6, -258])
        file.attributes = ["axis": -2]
        #expect(try dequantised(file) == [0, 0.5, 1, -4, -6, -258])
        file.type = 2
        #expect(try dequantised(file) == [0, 0.5, 1, 508, 506, 254])
        file.zeroPoints = nil
        #expect(try dequantised(file) == [0, 0.5, 1, 510, 508, 256])
        // Scales belong to the second dimension unless the file says otherwise.
        file = File(scales: [1, 10, 100], zeroPoints: nil, attributes: [:], output: "y")
        #expect(try dequantised(file) == [0, 10, 200, -1, -20, -12800])
        file = File(
            shape: [1], type: 6, values: [0xFE, 0xFF, 0xFF, 0xFF], scales: [0.25], zeroPoints: nil, output: "y")
        #expect(try dequantised(file) == [-0.5])
    }

    @Test(arguments: [
        ([64, 0xC0, 0, 1, 2, 3], [0, 0], [2, 3], true), ([65, 0, 0, 0, 0, 0], [0, 0], [2, 3], false),
        ([0, 0, 0, 0, 0, 0xBF], [0, 0], [2, 3], false), ([65, 66, 1, 0, 0, 0], [1, 0], [2, 3], false),
        ([65, 65, 1, 0, 0, 0], [1, 0], [2, 3], true), ([0, 0, 0, 65, 0, 0], [0, 1], [2, 3], true),
        ([0x7F, 0, 0, 0, 0, 0], [0, 0], [2, 1, 1, 3], true), ([0x7F, 0, 0, 0, 0, 0], [0, 0], [2, 3, 1, 1], false),
    ])
    func `fit seven bits up to a distance of 64 from zero, or if each channel has its own filter`(
        _ values: [UInt8], zeroPoints: [UInt8], shape: [Int], fits: Bool
    ) throws {
        let file = File(shape: shape, values: values, zeroPoints: zeroPoints, output: "y")
        #expect(try ONNXDequantisation(file.bytes)?.fitsSevenBits() == fits)
    }

    @Test func `do not fit if rounded activations are multiplied with each other, as in attention`() throws {
        func fits(_ last: String, _ factors: [String], between: String = "Transpose") throws -> Bool? {
            let file = File(
                shape: [2, 3], values: [1, 2, 3, 4, 5, 6], output: "y", between: between, last: last, factors: factors)
            return try ONNXDequantisation(file.bytes)?.fitsSevenBits()
        }
        #expect(try fits("MatMul", ["x", "weight"]) == true)
        #expect(try fits("MatMul", ["moved", "weight"]) == true)
        #expect(try fits("MatMul", ["x", "x"]) == true)
        #expect(try fits("MatMul", ["x", "moved"]) == false)
        #expect(try fits("MatMul", ["moved", "x"]) == false)
        #expect(try fits("MatMul", ["x", "moved"], between: "Softmax") == true)
        #expect(try fits("Add", ["x", "moved"]) == true)
    }

    @Test func `are left alone where a kind is not known`() throws {
        #expect(try dequantised(File()) == nil, "the weight is a result of the network")
        let unknown = [
            File(operation: "QLinearConv", output: "y"), File(operation: "ConvInteger", output: "y"),
            File(type: 17, output: "y"), File(attributes: ["axis": 0, "block_size": 2], output: "y"),
            File(attributes: ["axis": 1], output: "y"), File(attributes: ["axis": 7], output: "y"),
            File(values: [1], output: "y"), File(values: [], output: "y"), File(zeroPoints: [1], output: "y"),
            File(shape: [Int(Int32.max), Int(Int32.max), 4], output: "y"),
            File(
                shape: [Int(Int32.max), Int(Int32.max), 4], type: 17, scales: [1], zeroPoints: nil, attributes: [:],
                output: "y"),
            File(shape: [0, Int(Int32.max), Int(Int32.max), Int(Int32.max)], values: [], output: "y"),
            File(scales: [], zeroPoints: nil, output: "y"), File(output: "y", isSplit: true),
            File(output: "y", preparation: "Cast"), File(output: "y", preparation: "QuantizeLinear"),
        ]
        for file in unknown { #expect(try dequantised(file) == nil) }
        #expect(ONNXDequantisation([]) == nil)
        #expect(ONNXDequantisation([UInt8]("not a model".utf8)) == nil)
    }

    /// Damage must not cause a crash.
    @Test func `can be damaged in any way`() {
        func read(_ bytes: [UInt8]) {
            let file = ONNXDequantisation(bytes)
            _ = try? file?.onnx()
            _ = try? file?.fitsSevenBits()
        }
        let bytes = File(output: "y").bytes
        for length in bytes.indices { read([UInt8](bytes[..<length])) }
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                read(damaged)
            }
        }
    }
}
