/// ONNX (onnx.proto: `ModelProto`, `GraphProto`, `NodeProto`, `AttributeProto`, `TensorProto`, `FunctionProto`) and
/// TensorFlow (graph.proto, node_def.proto, attr_value.proto, tensor.proto).
extension GraphCount {
    mutating func addONNX(_ bytes: [UInt8]) throws {
        let model = try ProtocolBufferMessage(bytes)
        guard let graph = try model.message("graph", 7) else { throw ModelBoundsError("the file holds no graph") }
        // Nested graphs wait here, because recursion could overflow the stack.
        var waiting = [(graph: graph, depth: 0)]
        for function in try model.messages("functions", 25) { try add(function.messages("node", 7), &waiting, 0) }
        while let (graph, depth) = waiting.popLast() {
            for tensor in try graph.messages("initializer", 5) { try check(shape: try tensor.integers("dims", 1)) }
            for number in [11, 12, 13] { for value in try graph.messages("value", number) { try check(value) } }
            try add(graph.messages("node", 1), &waiting, depth)
        }
    }

    private mutating func add(
        _ nodes: [ProtocolBufferMessage], _ waiting: inout [(graph: ProtocolBufferMessage, depth: Int)], _ depth: Int
    ) throws {
        try addNodes(nodes.count)
        for node in nodes {
            for attribute in try node.messages("attribute", 5) {
                if let tensor = try attribute.message("t", 5) { try check(shape: try tensor.integers("dims", 1)) }
                let inner = try [attribute.message("g", 6)].compactMap(\.self) + attribute.messages("graphs", 11)
                guard inner.isEmpty || depth < ModelBounds.depth else {
                    throw ModelBoundsError("its graphs are nested deeper than \(ModelBounds.depth)")
                }
                waiting += inner.map { ($0, depth + 1) }
            }
        }
    }

    private func check(_ value: ProtocolBufferMessage) throws {
        guard let shape = try value.message("type", 2)?.message("tensor_type", 1)?.message("shape", 2) else { return }
        try check(shape: try shape.messages("dim", 1).map { try $0.integer("dim_value", 1) })
    }

    mutating func addTensorFlow(_ bytes: [UInt8]) throws {
        let graph = try ProtocolBufferMessage(bytes)
        try addTensorFlow(try graph.messages("node", 1))
        for function in try graph.message("library", 2)?.messages("function", 1) ?? [] {
            try addTensorFlow(try function.messages("node_def", 3))
        }
    }

    private mutating func addTensorFlow(_ nodes: [ProtocolBufferMessage]) throws {
        try addNodes(nodes.count)
        for node in nodes {
            for entry in try node.messages("attr", 5) {
                guard let value = try entry.message("value", 2) else { continue }
                for shape in [try value.message("shape", 7), try value.message("tensor", 8)?.message("shape", 2)] {
                    guard let shape else { continue }
                    try check(shape: try shape.messages("dim", 2).map { try $0.integer("size", 1) })
                }
            }
        }
    }
}
