/// An ONNX model under construction: nodes in execution order and their constants.
///
/// Operator set 17 (https://onnx.ai/onnx/operators/), which every current engine reads.
package struct ONNXGraph: Sendable {
    static let operatorSet = 17
    static let intermediateRepresentation = 8

    /// An input or output of the whole graph, float32.
    struct Value: Sendable, Equatable {
        let name: String
        let shape: [Int]
        /// Whether the first dimension is the size of the batch, free at run time.
        let isBatchFree: Bool
    }

    private(set) var nodes: [ONNXNode] = []
    private(set) var constants: [(name: String, tensor: ONNXTensor)] = []
    private(set) var constantBytes = 0
    var inputs: [Value] = []
    var outputs: [Value] = []
    private var names: Set<String>
    private var suffix = 0

    /// - Parameter names: the names of values in a graph to which this one is added.
    init(beside names: Set<String> = []) { self.names = names }

    /// An unused name: `base` itself, or `base` with a number appended.
    mutating func uniqueName(_ base: String) -> String {
        // ONNX uses the empty name for "left out".
        let base = base.isEmpty ? "value" : base
        var name = base
        while !names.insert(name).inserted {
            suffix += 1
            name = "\(base)_\(suffix)"
        }
        return name
    }

    mutating func constant(_ tensor: ONNXTensor, named base: String) -> String {
        let name = uniqueName(base)
        constantBytes += tensor.data.count
        constants.append((name, tensor))
        return name
    }

    /// Appends a node. Its results get the given names, or names like them if those are taken. Returns the names.
    mutating func node(
        _ operation: String, _ inputs: [String], outputs: [String],
        attributes: [String: ONNXAttribute] = [:]
    ) -> [String] {
        let outputs = outputs.map { uniqueName($0) }
        nodes.append(
            ONNXNode(
                operation: operation, name: outputs.first ?? operation, inputs: inputs, outputs: outputs,
                attributes: attributes))
        return outputs
    }

    /// Appends a node with one result, whose name is returned.
    mutating func node(
        _ operation: String, _ inputs: [String], output: String, attributes: [String: ONNXAttribute] = [:]
    ) -> String {
        node(operation, inputs, outputs: [output], attributes: attributes)[0]
    }

    /// Gives a value a second name that ``uniqueName(_:)`` reserved, such as an output's.
    mutating func bind(_ value: String, to name: String) {
        nodes.append(ONNXNode(operation: "Identity", name: name, inputs: [value], outputs: [name], attributes: [:]))
    }
}

extension ONNXGraph {
    /// A network without weights, as an ONNX file: input `x` of 1×3×8×8, output `y` with the mean of each channel.
    /// Loading it makes an engine load everything that it needs to run at all.
    package static var smallest: [UInt8] {
        var graph = ONNXGraph()
        let (input, output) = (graph.uniqueName("x"), graph.uniqueName("y"))
        let means = graph.node("GlobalAveragePool", [input], output: "means")
        graph.bind(graph.node("Flatten", [means], output: "flat", attributes: ["axis": .integer(1)]), to: output)
        graph.inputs = [Value(name: input, shape: [1, 3, 8, 8], isBatchFree: false)]
        graph.outputs = [Value(name: output, shape: [1, 3], isBatchFree: false)]
        return graph.serialized(name: "smallest")
    }
}
