/// Turns the quantised weights of an ONNX file into floating point. The rest of the file stays as it is.
package struct ONNXDequantisation: Sendable {
    private let file: ONNXFile
    private let weights: [ONNXQuantisedWeight]
    /// The positions in the file of the nodes that dequantise ``weights``.
    private let obsolete: Set<Int>
    /// Whether a factor of a product of activations, as in attention, was rounded to bytes.
    private let multipliesBytes: Bool

    /// Finds the weights.
    ///
    /// - Returns: nil if the file is not an ONNX model, or if some weights use an unsupported form: other types,
    ///   blocks, operations on constants before it, operations such as `QLinearConv`, subgraphs, or separate files.
    package init?(_ file: [UInt8]) {
        guard let file = try? ONNXFile(file), let found = try? Self.weights(of: file) else { return nil }
        self.file = file
        (weights, obsolete, multipliesBytes) = found
    }

    /// The file with weights in float32.
    package func onnx() throws(WireFormatError) -> [UInt8] {
        var tensors: [[UInt8]] = []
        for weight in weights {
            let tensor = try weight.dequantised
            tensors += [tensor.header(named: weight.name), tensor.data]
        }
        return file.bytes(keeping: file.graph.fields.filter { !obsolete.contains($0.offset) }, adding: tensors)
    }

    /// Whether the processor's sums of two products in 16 bits, as x86-64 without VNNI computes them, lose nothing.
    package func fitsSevenBits() throws(WireFormatError) -> Bool {
        guard !multipliesBytes else { return false }
        for weight in weights where try !weight.fitsSevenBits { return false }
        return true
    }

    private static func weights(
        of file: ONNXFile
    ) throws(WireFormatError) -> (weights: [ONNXQuantisedWeight], obsolete: Set<Int>, multipliesBytes: Bool)? {
        var constants: [String: ProtocolBufferMessage] = [:]
        // The names of values that are computed from constants alone.
        var computed: Set<String> = []
        // The names of activations that were rounded to bytes, and perhaps moved or scaled since.
        var rounded: Set<String> = []
        for tensor in try file.graph.messages("initializer", 5) {
            // The paths of other files are relative to this one, and OpenVINO is not told where this one is.
            if try tensor.integer("data_location", 14) != 0 { return nil }
            constants[try tensor.string("name", 8)] = tensor
        }
        var weights: [ONNXQuantisedWeight] = []
        var obsolete: Set<Int> = []
        var multipliesBytes = false
        for node in try file.nodes {
            let (operation, inputs, outputs) = (node.operation, node.inputs, node.outputs)
            let input = inputs.first ?? ""
            if ["MatMul", "Gemm", "Conv", "ConvTranspose", "Einsum"].contains(operation) {
                if inputs.dropFirst().prefix(1).contains(where: { constants[$0] == nil && !computed.contains($0) }),
                    !rounded.isDisjoint(with: inputs)
                {
                    multipliesBytes = true
                }
            } else if !["Softmax", "LayerNormalization"].contains(operation), !rounded.isDisjoint(with: inputs) {
                rounded.formUnion(outputs)
            }
            if operation == "Constant" {
                constants[outputs.first ?? ""] = try node.attributes.first?.message("t", 5)
            } else if operation == "Identity", let tensor = constants[input] {
                constants[outputs.first ?? ""] = tensor
            } else if operation == "DequantizeLinear", constants[input] != nil || computed.contains(input) {
                let tensors = inputs.compactMap { constants[$0] }
                guard tensors.count == inputs.count,
                    let weight = try ONNXQuantisedWeight(
                        name: outputs.first ?? "", inputs: tensors, attributes: node.attributes)
                else { return nil }
                weights.append(weight)
                obsolete.insert(node.field.offset)
                computed.insert(weight.name)
            } else if operation == "DequantizeLinear" {
                rounded.formUnion(outputs)
            } else if operation.contains("QLinear") || operation.hasSuffix("Integer") || node.hasSubgraph {
                return nil
            } else if inputs.allSatisfy({ $0.isEmpty || constants[$0] != nil || computed.contains($0) }) {
                computed.formUnion(outputs)
            }
        }
        // An output of the network must be the result of a node.
        guard try Set(weights.map(\.name)).isDisjoint(with: file.outputs) else { return nil }
        return (weights, obsolete, multipliesBytes)
    }
}
