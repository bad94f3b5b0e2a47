/// Turns the quantised weights of an ONNX file into floating point. The rest of the file stays as it is.
///
/// Field numbers: onnx.proto, `ModelProto`, `GraphProto`, `NodeProto` and `AttributeProto`.
package struct ONNXDequantisation: Sendable {
    private let model: ProtocolBufferMessage
    private let graph: ProtocolBufferMessage
    private let weights: [ONNXQuantisedWeight]
    /// The positions in the file of the nodes that dequantise ``weights``.
    private let obsolete: Set<Int>
    /// Whether a product has no weight as its second factor, as in attention.
    private let multipliesActivations: Bool

    /// Finds the weights.
    ///
    /// - Returns: nil if the file is not an ONNX model, or if some weights use an unsupported form: other types,
    ///   blocks, operations on constants before it, operations such as `QLinearConv`, subgraphs, or separate files.
    package init?(_ file: [UInt8]) {
        do {
            model = try ProtocolBufferMessage(file)
            guard let graph = try model.message("graph", 7) else { return nil }
            self.graph = graph
            guard let found = try Self.weights(of: graph) else { return nil }
            (weights, obsolete, multipliesActivations) = found
        } catch {
            return nil
        }
    }

    /// The file with weights in float32.
    package func onnx() throws(WireFormatError) -> [UInt8] {
        var tensors: [[UInt8]] = []
        for weight in weights {
            let tensor = try weight.dequantised
            tensors += [tensor.header(named: weight.name), tensor.data]
        }
        return model.onnx(keeping: graph.fields.filter { !obsolete.contains($0.offset) }, adding: tensors)
    }

    /// Whether the processor's sums of two products in 16 bits, as x86-64 without VNNI computes them, lose nothing.
    package func fitsSevenBits() throws(WireFormatError) -> Bool {
        guard !multipliesActivations else { return false }
        for weight in weights where try !weight.fitsSevenBits { return false }
        return true
    }

    private static func weights(
        of graph: ProtocolBufferMessage
    ) throws(WireFormatError) -> (weights: [ONNXQuantisedWeight], obsolete: Set<Int>, multipliesActivations: Bool)? {
        var constants: [String: ProtocolBufferMessage] = [:]
        // The names of values that are computed from constants alone.
        var computed: Set<String> = []
        for tensor in try graph.messages("initializer", 5) {
            // The paths of other files are relative to this one, and OpenVINO is not told where this one is.
            if try tensor.integer("data_location", 14) != 0 { return nil }
            constants[try tensor.string("name", 8)] = tensor
        }
        var weights: [ONNXQuantisedWeight] = []
        var obsolete: Set<Int> = []
        var multipliesActivations = false
        for field in graph.occurrences(of: 1) {
            let node = try graph.nested("node", field)
            let inputs = try node.strings("input", 1)
            let outputs = try node.strings("output", 2)
            let attributes = try node.messages("attribute", 5)
            let operation = try node.string("op_type", 4)
            let input = inputs.first ?? ""
            if ["MatMul", "Gemm", "Conv", "ConvTranspose", "Einsum"].contains(operation),
                inputs.dropFirst().prefix(1).contains(where: { constants[$0] == nil && !computed.contains($0) })
            {
                multipliesActivations = true
            }
            if operation == "Constant" {
                constants[outputs.first ?? ""] = try attributes.first?.message("t", 5)
            } else if operation == "Identity", let tensor = constants[input] {
                constants[outputs.first ?? ""] = tensor
            } else if operation == "DequantizeLinear", constants[input] != nil || computed.contains(input) {
                let tensors = inputs.compactMap { constants[$0] }
                guard tensors.count == inputs.count,
                    let weight = try ONNXQuantisedWeight(
                        name: outputs.first ?? "", inputs: tensors, attributes: attributes)
                else { return nil }
                weights.append(weight)
                obsolete.insert(field.offset)
                computed.insert(weight.name)
            } else if operation.contains("QLinear") || operation.hasSuffix("Integer")
                || attributes.contains(where: { $0.contains(6) || $0.contains(11) })
            {
                return nil
            } else if inputs.allSatisfy({ $0.isEmpty || constants[$0] != nil || computed.contains($0) }) {
                computed.formUnion(outputs)
            }
        }
        // An output of the network must be the result of a node.
        for output in try graph.messages("output", 12) {
            let name = try output.string("name", 1)
            if weights.contains(where: { $0.name == name }) { return nil }
        }
        return (weights, obsolete, multipliesActivations)
    }
}
