import Base

/// Computes the int8 linear layers of an ONNX file as convolutions of 1×1, with the same results.
///
/// Without VNNI, OpenVINO 2026.4.1 has fast int8 kernels for convolutions and slow ones for linear layers.
package struct ONNXLinearLayers: Sendable {
    /// The product of rounded activations (N × rows × inputs) and rounded weights (inputs × outputs), and what is added.
    fileprivate struct Layer {
        let rounding: ONNXFile.Node
        let rounded: ONNXFile.Node
        let product: ONNXFile.Node
        let addition: ONNXFile.Node
        /// Of the activations, counted from the least byte.
        let zeroPoint: UInt8
        /// What is added less what the zero point makes of the sums. The kernel takes bytes whose zero point is 0:
        /// `(q − z) · s · w = q · s · w − z · s · w`.
        let bias: [Float]
    }

    private let file: ONNXFile
    private let layers: [Layer]

    /// Finds the layers.
    ///
    /// - Parameter file: an ONNX file that tells the shapes of its values, as quantisers write it.
    /// - Returns: nil if there are none.
    package init?(_ file: [UInt8]) {
        guard let file = try? ONNXFile(file), let layers = try? Self.layers(of: file), !layers.isEmpty else {
            return nil
        }
        (self.file, self.layers) = (file, layers)
    }

    /// The file with convolutions.
    package func asConvolutions() -> [UInt8] {
        var replacements: [Int: [UInt8]] = [:]
        for layer in layers {
            replacements[layer.rounding.field.offset] = layer.roundingToBytes.fields.bytes
            replacements[layer.rounded.field.offset] = []
            replacements[layer.product.field.offset] = []
            replacements[layer.addition.field.offset] = layer.convolution.fields.bytes
        }
        // The types of values that have changed are among the facts about inner values.
        return file.bytes(keeping: file.graph.fields.filter { $0.number != 13 }, replacing: replacements)
    }

    private static func layers(of file: ONNXFile) throws(WireFormatError) -> [Layer] {
        let nodes = try file.nodes
        guard !nodes.contains(where: \.hasSubgraph) else { return [] }
        var constants: [String: ProtocolBufferMessage] = [:]
        for tensor in try file.graph.messages("initializer", 5) {
            constants[try tensor.string("name", 8)] = tensor
        }
        var makers: [String: ONNXFile.Node] = [:]
        var users: [String: [ONNXFile.Node]] = [:]
        for node in nodes {
            for output in node.outputs { makers[output] = node }
            for input in node.inputs { users[input, default: []].append(node) }
        }
        // An output of the network is not only used inside.
        for output in try file.outputs { users[output] = nil }
        var ranks: [String: Int] = [:]
        for value in try file.graph.messages("value_info", 13) {
            let shape = try value.message("type", 2)?.message("tensor_type", 1)?.message("shape", 2)
            ranks[try value.string("name", 1)] = try shape?.messages("dim", 1).count
        }
        /// The only node that uses the only result of another.
        func next(_ node: ONNXFile.Node, _ operation: String) -> ONNXFile.Node? {
            guard node.outputs.count == 1, let users = users[node.outputs[0]], users.count == 1,
                users[0].operation == operation, users[0].outputs.count == 1
            else { return nil }
            return users[0]
        }

        var layers: [Layer] = []
        for rounding in nodes where rounding.operation == "QuantizeLinear" {
            guard let rounded = next(rounding, "DequantizeLinear"), let product = next(rounded, "MatMul"),
                let addition = next(product, "Add"), ranks[product.outputs[0]] == 3,
                rounded.inputs.dropFirst() == rounding.inputs.dropFirst(),
                product.inputs.count == 2, product.inputs[0] == rounded.outputs[0],
                let quantised = makers[product.inputs[1]], quantised.operation == "DequantizeLinear"
            else { continue }
            let steps = rounded.inputs.dropFirst().compactMap { constants[$0] }
            let tensors = quantised.inputs.compactMap { constants[$0] }
            guard steps.count == 2, tensors.count == quantised.inputs.count,
                let added = addition.inputs.compactMap({ constants[$0] }).first,
                let scale = try ONNXQuantisedWeight.floats(of: steps[0]),
                let weight = try ONNXQuantisedWeight(name: "", inputs: tensors, attributes: quantised.attributes),
                let sums = try weight.columnSums, scale.count == 1,
                let zeroPoint = try ONNXQuantisedWeight.byte(of: steps[1]),
                let bias = try ONNXQuantisedWeight.floats(of: added), bias.count == sums.count,
                try added.sizes("dims", 1).last == sums.count
            else { continue }
            let lost = Double(scale[0]) * Double(zeroPoint)
            layers.append(
                Layer(
                    rounding: rounding, rounded: rounded, product: product, addition: addition, zeroPoint: zeroPoint,
                    bias: zip(bias, sums).map { Float(Double($0) - lost * $1) }))
        }
        return layers
    }
}

extension ONNXLinearLayers.Layer {
    /// The name before those of new values. A slash and this word keep them apart from others.
    private var name: String { "\(product.outputs[0])/convolution" }

    fileprivate var roundingToBytes: ONNXGraph {
        var graph = ONNXGraph()
        let zero = graph.constant(ONNXTensor(byte: zeroPoint), named: "\(name)/zero_point")
        _ = graph.node("QuantizeLinear", [rounding.inputs[0], rounding.inputs[1], zero], output: rounding.outputs[0])
        return graph
    }

    /// The rows of activations become the columns of a map that is one place high, and come back as rows.
    fileprivate var convolution: ONNXGraph {
        var graph = ONNXGraph()
        func named(_ part: String) -> String { "\(name)/\(part)" }
        let zero = graph.constant(ONNXTensor(byte: 0), named: named("no_zero_point"))
        let bias = graph.constant(ONNXTensor(bias, shape: [bias.count]), named: named("bias"))
        let mapShape = graph.constant(ONNXTensor([0, 0, 1, -1]), named: named("map_shape"))
        let kernelShape = graph.constant(ONNXTensor([0, 0, 1, 1]), named: named("kernel_shape"))
        let rowsShape = graph.constant(ONNXTensor([0, 0, -1]), named: named("rows_shape"))
        let turns: [String: ONNXAttribute] = ["perm": .integers([0, 2, 1])]

        let across = graph.node("Transpose", [rounding.outputs[0]], output: named("across"), attributes: turns)
        let map = graph.node("Reshape", [across, mapShape], output: named("map"))
        let activations = graph.node(
            "DequantizeLinear", [map, rounding.inputs[1], zero], output: named("activations"))
        let weights = graph.node(
            "Transpose", [product.inputs[1]], output: named("weights"), attributes: ["perm": .integers([1, 0])])
        let kernels = graph.node("Reshape", [weights, kernelShape], output: named("kernels"))
        let sums = graph.node("Conv", [activations, kernels, bias], output: named("sums"))
        let rows = graph.node("Reshape", [sums, rowsShape], output: named("rows"))
        _ = graph.node("Transpose", [rows], output: addition.outputs[0], attributes: turns)
        return graph
    }
}
