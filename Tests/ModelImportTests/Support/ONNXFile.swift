@testable import ModelImport

/// An ONNX file for checks, read with the same reader as Core ML files.
struct ONNXFile {
    struct Node {
        let operation: String
        let inputs: [String]
        let outputs: [String]
    }

    let nodes: [Node]
    let constants: [String]
    /// The names with their dimensions. −1 stands for the batch.
    let inputs: [(name: String, shape: [Int])]
    let outputs: [(name: String, shape: [Int])]

    init(_ bytes: [UInt8]) throws {
        let graph = try ProtocolBufferMessage(bytes).message("graph", 7)
        nodes = try (graph?.messages("node", 1) ?? []).map {
            Node(
                operation: try $0.string("op_type", 4), inputs: try $0.strings("input", 1),
                outputs: try $0.strings("output", 2))
        }
        constants = try (graph?.messages("initializer", 5) ?? []).map { try $0.string("name", 8) }
        inputs = try (graph?.messages("input", 11) ?? []).map(Self.value)
        outputs = try (graph?.messages("output", 12) ?? []).map(Self.value)
    }

    private static func value(_ message: ProtocolBufferMessage) throws -> (name: String, shape: [Int]) {
        let shape = try message.message("type", 2)?.message("tensor_type", 1)?.message("shape", 2)
        let dimensions = try (shape?.messages("dim", 1) ?? []).map {
            $0.contains(2) ? -1 : try $0.integer("dim_value", 1)
        }
        return (try message.string("name", 1), dimensions)
    }

    /// The first name that a node uses before its definition. Nil in a valid graph.
    var firstUndefinedName: String? {
        var defined = Set(constants + inputs.map(\.name) + [""])
        for node in nodes {
            if let name = node.inputs.first(where: { !defined.contains($0) }) { return name }
            defined.formUnion(node.outputs)
        }
        return outputs.map(\.name).first { !defined.contains($0) }
    }
}
