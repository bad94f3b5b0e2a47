import Base

/// Finds the features of a classifier in an ONNX file without an output `features`. They are the input of the last
/// layer with weights before an output of the network.
///
/// The search goes back from the output over operations that only reshape, scale or squash values (softmax, flatten,
/// pooling, quantisation …) to the first `Gemm`, `MatMul` or `Conv` with constant weights. The input of that operation
/// becomes the new output. If it is a map, it is averaged over the picture.
package struct ONNXFeatures {
    package static let output = "features"

    /// Operations that keep each value in its place. At most one of their inputs is not constant.
    private static let passed: Set<String> = [
        "Softmax", "LogSoftmax", "Sigmoid", "Relu", "Clip", "Flatten", "Reshape", "Squeeze", "Unsqueeze", "Identity",
        "Dropout", "Add", "Sub", "Mul", "Div", "Cast", "QuantizeLinear", "DequantizeLinear", "GlobalAveragePool",
        "GlobalMaxPool", "AveragePool", "ReduceMean", "BatchNormalization", "Transpose",
    ]

    /// Adds the output `features` to a file that lacks it.
    ///
    /// - Parameters:
    ///   - file: an ONNX file.
    ///   - outputs: the outputs of its heads. The first one with a classifier counts.
    /// - Returns: the file, unchanged if it has such an output already.
    /// - Throws: ``ONNXError`` that says where the search ended.
    package static func adding(to file: [UInt8], before outputs: [String]) throws(ONNXError) -> [UInt8] {
        do {
            let network = try ONNXFile(file)
            return try network.outputs.contains(Self.output) ? file : adding(to: network, before: outputs)
        } catch let error as ONNXError {
            throw error
        } catch {
            throw ONNXError("the base is not an ONNX file: \(error)")
        }
    }

    private static func adding(to file: ONNXFile, before outputs: [String]) throws -> [UInt8] {
        var constants: Set<String> = []
        for tensor in try file.graph.messages("initializer", 5) {
            guard try tensor.integer("data_location", 14) == 0 else {
                throw ONNXError("its weights lie in a file of their own")
            }
            constants.insert(try tensor.string("name", 8))
        }
        var producers: [String: ONNXFile.Node] = [:]
        for node in try file.nodes {
            // The result of an operation on constants is constant.
            if node.inputs.allSatisfy({ $0.isEmpty || constants.contains($0) }) { constants.formUnion(node.outputs) }
            for output in node.outputs { producers[output] = node }
        }
        guard producers[Self.output] == nil else {
            throw ONNXError("a value within it is called “\(Self.output)” already")
        }
        var reasons: [String] = []
        for output in outputs {
            switch classifier(before: output, producers, constants) {
            case .found(let value, let isMap): return adding(value, isMap: isMap, to: file, Set(producers.keys))
            case .lost(let reason): reasons.append(reason)
            }
        }
        throw ONNXError(reasons.first ?? "it has no head")
    }

    private enum Search {
        /// - isMap: whether the value also has the two dimensions of the picture.
        case found(String, isMap: Bool)
        case lost(String)
    }

    private static func classifier(
        before output: String, _ producers: [String: ONNXFile.Node], _ constants: Set<String>
    ) -> Search {
        var value = output
        // A network without loops reaches no value twice.
        for _ in 0...producers.count {
            guard let node = producers[value] else {
                return .lost("nothing with weights computes the output “\(output)”")
            }
            let computed = node.inputs.filter { !$0.isEmpty && !constants.contains($0) }
            guard computed.count == 1 else {
                return .lost("the output “\(output)” is made of several values by \(node.operation)")
            }
            switch node.operation {
            case "Gemm" where computed[0] == node.inputs[0], "MatMul": return .found(computed[0], isMap: false)
            case "Conv" where computed[0] == node.inputs[0]: return .found(computed[0], isMap: true)
            case let operation where passed.contains(operation): value = computed[0]
            case let operation: return .lost("before the output “\(output)” stands \(operation), not a classifier")
            }
        }
        return .lost("the network has a loop")
    }

    /// The file with one or two more nodes and one more output.
    private static func adding(_ value: String, isMap: Bool, to file: ONNXFile, _ names: Set<String>) -> [UInt8] {
        var addition = ONNXGraph(beside: names)
        let pooled = isMap ? addition.node("GlobalAveragePool", [value], output: "features/pooled") : value
        _ = addition.node("Flatten", [pooled], output: Self.output, attributes: ["axis": .integer(1)])
        var rest = addition.fields
        rest.value(Self.output, [.named("rows"), .named("features")], 12)
        return file.bytes(keeping: file.graph.fields, adding: [rest.bytes])
    }
}
