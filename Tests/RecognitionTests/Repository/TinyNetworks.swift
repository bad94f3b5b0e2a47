import Base

@testable import ModelImport

/// The same network in file formats without a shared model: the picture's mean colour times a matrix.
///
/// The input is 1×8×8 with three channels. The output is two logits.
enum TinyNetwork {
    /// The matrix, 3×2, row by row.
    static let weights: [Float] = [1, -0.5, 0.25, 2, -1, 0.125]

    /// The answer for a picture of height × width × 3 bytes, divided by 255.
    static func logits(of picture: [UInt8]) -> [Float] {
        let means = (0..<3).map { channel in
            stride(from: channel, to: picture.count, by: 3).reduce(Float(0)) { $0 + Float(picture[$1]) / 255 }
                / Float(picture.count / 3)
        }
        return (0..<2).map { column in (0..<3).reduce(Float(0)) { $0 + means[$1] * weights[$1 * 2 + column] } }
    }

    /// Another network, an ONNX file: the mean of the whole picture, as a scalar.
    ///
    /// - Parameter isLogarithm: whether the output is the logarithm of the mean, which numbers below 0 do not have.
    static func scalar(isLogarithm: Bool = false) -> [UInt8] {
        var graph = ONNXGraph()
        let (image, mean) = (graph.uniqueName("image"), graph.uniqueName("mean"))
        var all = graph.node("ReduceMean", [image], output: "all", attributes: ["keepdims": .integer(0)])
        if isLogarithm { all = graph.node("Log", [all], output: "logarithm") }
        graph.bind(all, to: mean)
        graph.inputs = [ONNXGraph.Value(name: image, shape: [1, 3, 8, 8], isBatchFree: false)]
        graph.outputs = [ONNXGraph.Value(name: mean, shape: [], isBatchFree: false)]
        return graph.serialized(name: "mean")
    }

    private static func bytes(_ floats: [Float]) -> [UInt8] {
        floats.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } }
    }

    // MARK: OpenVINO IR

    /// The constants: axes 2 and 3 as 64-bit integers, then the matrix.
    static var binary: [UInt8] {
        [Int64(2), 3].flatMap { withUnsafeBytes(of: $0.littleEndian) { Array($0) } } + bytes(weights)
    }

    static var ir: String {
        func port(_ id: Int, _ type: String, _ shape: [Int], _ name: String? = nil) -> String {
            let names = name.map { " names=\"\($0)\"" } ?? ""
            return "<port id=\"\(id)\" precision=\"\(type)\"\(names)>"
                + shape.map { "<dim>\($0)</dim>" }.joined() + "</port>"
        }
        func layer(_ id: Int, _ type: String, _ data: String, _ inputs: [String], _ outputs: [String]) -> String {
            "<layer id=\"\(id)\" name=\"layer \(id)\" type=\"\(type)\" version=\"opset1\">"
                + (data.isEmpty ? "" : "<data \(data)/>")
                + (inputs.isEmpty ? "" : "<input>\(inputs.joined())</input>")
                + (outputs.isEmpty ? "" : "<output>\(outputs.joined())</output>") + "</layer>"
        }
        func edge(_ from: Int, _ fromPort: Int, _ to: Int, _ toPort: Int) -> String {
            "<edge from-layer=\"\(from)\" from-port=\"\(fromPort)\" to-layer=\"\(to)\" to-port=\"\(toPort)\"/>"
        }
        let image = [1, 3, 8, 8]
        let layers = [
            layer(0, "Parameter", "shape=\"1,3,8,8\" element_type=\"f32\"", [], [port(0, "FP32", image, "image")]),
            layer(1, "Const", "element_type=\"i64\" shape=\"2\" offset=\"0\" size=\"16\"", [], [port(0, "I64", [2])]),
            layer(
                2, "ReduceMean", "keep_dims=\"false\"", [port(0, "FP32", image), port(1, "I64", [2])],
                [port(2, "FP32", [1, 3])]),
            layer(
                3, "Const", "element_type=\"f32\" shape=\"3,2\" offset=\"16\" size=\"24\"", [],
                [port(0, "FP32", [3, 2])]),
            layer(
                4, "MatMul", "transpose_a=\"false\" transpose_b=\"false\"",
                [port(0, "FP32", [1, 3]), port(1, "FP32", [3, 2])], [port(2, "FP32", [1, 2], "logits")]),
            layer(5, "Result", "", [port(0, "FP32", [1, 2])], []),
        ]
        let edges = [edge(0, 0, 2, 0), edge(1, 0, 2, 1), edge(2, 2, 4, 0), edge(3, 0, 4, 1), edge(4, 2, 5, 0)]
        return "<?xml version=\"1.0\"?><net name=\"tiny\" version=\"11\"><layers>\(layers.joined())</layers>"
            + "<edges>\(edges.joined())</edges></net>"
    }

    // MARK: TensorFlow

    /// A frozen graph (GraphDef). Its picture has the order N×H×W×C.
    static var frozenGraph: [UInt8] {
        var graph = ProtocolBufferWriter()
        /// A value of `attr`. The caller chooses the field of AttrValue.
        typealias Attribute = (name: String, value: (inout ProtocolBufferWriter) -> Void)
        func node(_ name: String, _ operation: String, _ inputs: [String], _ attributes: [Attribute]) {
            graph.message(1) { node in
                node.string(name, 1)
                node.string(operation, 2)
                for input in inputs { node.string(input, 3) }
                for attribute in attributes {
                    node.message(5) { entry in
                        entry.string(attribute.name, 1)
                        entry.message(2, attribute.value)
                    }
                }
            }
        }
        func type(_ name: String, _ number: Int) -> Attribute { (name, { $0.integer(number, 6) }) }
        func flag(_ name: String) -> Attribute { (name, { $0.integer(0, 5) }) }
        func shape(_ sizes: [Int]) -> (inout ProtocolBufferWriter) -> Void {
            { shape in for size in sizes { shape.message(2) { $0.integer(size, 1) } } }
        }
        func constant(_ name: String, _ number: Int, _ sizes: [Int], _ content: [UInt8]) {
            let value: Attribute = (
                "value",
                { value in
                    value.message(8) { tensor in
                        tensor.integer(number, 1)
                        tensor.message(2, shape(sizes))
                        tensor.data(content, 4)
                    }
                }
            )
            node(name, "Const", [], [type("dtype", number), value])
        }
        let (float, integer) = (1, 3)
        node("image", "Placeholder", [], [type("dtype", float), ("shape", { $0.message(7, shape([1, 8, 8, 3])) })])
        constant("axes", integer, [2], [1, 0, 0, 0, 2, 0, 0, 0])
        node("mean", "Mean", ["image", "axes"], [type("T", float), type("Tidx", integer), flag("keep_dims")])
        constant("weights", float, [3, 2], bytes(weights))
        node("logits", "MatMul", ["mean", "weights"], [type("T", float), flag("transpose_a"), flag("transpose_b")])
        graph.message(4) { $0.integer(1_395, 1) }
        return graph.bytes
    }
}
