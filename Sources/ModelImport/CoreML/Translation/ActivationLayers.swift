/// Activations: functions that apply to each element.
struct ActivationLayers: LayerGroup {
    let graph: LayerGraph

    static let handlers: [CoreMLLayerType: Handler] = [
        .activation: { [try $0.activation($1, $0.graph.one($2))] },
        .clampedReLU: { [try $0.clampedReLU($1, $0.graph.one($2))] },
        .gelu: { [try $0.gelu($1, $0.graph.one($2))] },
    ]

    /// `ActivationParams`: one of thirteen functions of each element.
    private func activation(
        _ parameters: ProtocolBufferMessage, _ x: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        // The last field of a oneof counts.
        guard let number = parameters.fieldNumbers.last, let p = try parameters.message("activation", number) else {
            throw graph.failure("it names no function")
        }
        switch number {
        case 5: return try linear(x, scale: p.float("alpha", 1), shift: p.float("beta", 2))
        case 10: return try graph.emit("Relu", x)
        case 15: return try graph.emit("LeakyRelu", x, [], ["alpha": .float(p.float("alpha", 1))])
        case 20: return try thresholdedReLU(x, threshold: p.float("alpha", 1))
        case 25: return try graph.emit("PRelu", x, [channelParameter(p, "alpha", 1, of: x)])
        case 30: return try graph.emit("Tanh", x)
        case 31:
            let inner = try graph.binary("Mul", x, graph.scalar(p.float("beta", 2)))
            return try graph.binary("Mul", graph.emit("Tanh", inner), graph.scalar(p.float("alpha", 1)))
        case 40: return try graph.emit("Sigmoid", x)
        case 41:
            return try graph.emit(
                "HardSigmoid", x, [], ["alpha": .float(p.float("alpha", 1)), "beta": .float(p.float("beta", 2))])
        case 50: return try graph.emit("Elu", x, [], ["alpha": .float(p.float("alpha", 1))])
        case 60: return try graph.emit("Softsign", x)
        case 70: return try graph.emit("Softplus", x)
        case 71:
            let inner = try graph.binary("Mul", x, channelParameter(p, "beta", 2, of: x))
            return try graph.binary("Mul", graph.emit("Softplus", inner), channelParameter(p, "alpha", 1, of: x))
        default: throw graph.failure("its function is unknown: field \(number) of ActivationParams")
        }
    }

    func linear(_ x: CoreMLBlob, scale: Float, shift: Float) throws(WireFormatError) -> CoreMLBlob {
        var result = x
        if scale != 1 { result = try graph.binary("Mul", result, graph.scalar(scale)) }
        if shift != 0 { result = try graph.binary("Add", result, graph.scalar(shift)) }
        return result
    }

    /// x if it reaches the threshold, else 0.
    private func thresholdedReLU(_ x: CoreMLBlob, threshold: Float) throws(WireFormatError) -> CoreMLBlob {
        let reaches = try graph.binary("GreaterOrEqual", x, graph.scalar(threshold))
        return try graph.emit("Where", [reaches, x, graph.scalar(0)], shape: x.shape, hasBatch: x.hasBatch)
    }

    /// One number, or one for each channel (axis −3), in a shape that broadcasts.
    private func channelParameter(
        _ parameters: ProtocolBufferMessage, _ name: String, _ number: Int, of x: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        let count = try graph.weightCount(parameters, name, number)
        let numbers = try graph.values(parameters, name, number, count: count)
        if count == 1 { return graph.constant(ONNXTensor(numbers, shape: [1])) }
        guard x.rank >= 3, x.shape[x.rank - 3] == count else {
            throw graph.failure("its \(name) has \(count) numbers for an input of the shape \(x.shape)")
        }
        return graph.constant(ONNXTensor(numbers, shape: [count, 1, 1]))
    }

    /// `ClampedReLULayerParams`: min(β, x) for x ≥ 0, min(β, αx) below.
    private func clampedReLU(
        _ parameters: ProtocolBufferMessage, _ x: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        let leaky = try graph.emit("LeakyRelu", x, [], ["alpha": .float(parameters.float("alpha", 1))])
        return try graph.binary("Min", leaky, graph.scalar(parameters.float("beta", 2)))
    }

    /// `GeluLayerParams`: exact, or approximated by tanh or a sigmoid.
    private func gelu(
        _ parameters: ProtocolBufferMessage, _ x: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        let gate: CoreMLBlob
        switch try parameters.integer("mode", 1) {
        case 0:
            let error = try graph.emit("Erf", linear(x, scale: Float(0.5).squareRoot(), shift: 0))
            gate = try linear(error, scale: 0.5, shift: 0.5)
        case 1:
            let cube = try graph.binary("Mul", x, graph.binary("Mul", x, x))
            let inner = try graph.binary("Add", x, linear(cube, scale: 0.044715, shift: 0))
            let tanh = try graph.emit("Tanh", linear(inner, scale: (2 / Float.pi).squareRoot(), shift: 0))
            gate = try linear(tanh, scale: 0.5, shift: 0.5)
        case 2:
            gate = try graph.emit("Sigmoid", linear(x, scale: 1.702, shift: 0))
        case let mode:
            throw graph.failure("its mode is unknown: \(mode)")
        }
        return try graph.binary("Mul", x, gate)
    }
}
