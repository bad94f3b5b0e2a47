/// Activations: functions that apply to each element.
extension LayerGraph {
    static let activationHandlers: [CoreMLLayerType: Handler] = [
        .activation: { [try $0.activation($1, $0.one($2))] },
        .clampedReLU: { [try $0.clampedReLU($1, $0.one($2))] },
        .gelu: { [try $0.gelu($1, $0.one($2))] },
    ]

    /// `ActivationParams`: one of thirteen functions of each element.
    private func activation(_ parameters: Parameters, _ x: Blob) throws(WireFormatError) -> Blob {
        // The last field of a oneof counts.
        guard let number = parameters.fieldNumbers.last, let p = try parameters.message("activation", number) else {
            throw failure("it names no function")
        }
        switch number {
        case 5: return try linear(x, scale: p.float("alpha", 1), shift: p.float("beta", 2))
        case 10: return try emit("Relu", x)
        case 15: return try emit("LeakyRelu", x, [], ["alpha": .float(p.float("alpha", 1))])
        case 20: return try thresholdedReLU(x, threshold: p.float("alpha", 1))
        case 25: return try emit("PRelu", x, [channelParameter(p, "alpha", 1, of: x)])
        case 30: return try emit("Tanh", x)
        case 31:
            let inner = try binary("Mul", x, scalar(p.float("beta", 2)))
            return try binary("Mul", emit("Tanh", inner), scalar(p.float("alpha", 1)))
        case 40: return try emit("Sigmoid", x)
        case 41:
            return try emit(
                "HardSigmoid", x, [], ["alpha": .float(p.float("alpha", 1)), "beta": .float(p.float("beta", 2))])
        case 50: return try emit("Elu", x, [], ["alpha": .float(p.float("alpha", 1))])
        case 60: return try emit("Softsign", x)
        case 70: return try emit("Softplus", x)
        case 71:
            let inner = try binary("Mul", x, channelParameter(p, "beta", 2, of: x))
            return try binary("Mul", emit("Softplus", inner), channelParameter(p, "alpha", 1, of: x))
        default: throw failure("its function is unknown: field \(number) of ActivationParams")
        }
    }

    func linear(_ x: Blob, scale: Float, shift: Float) throws(WireFormatError) -> Blob {
        var result = x
        if scale != 1 { result = try binary("Mul", result, scalar(scale)) }
        if shift != 0 { result = try binary("Add", result, scalar(shift)) }
        return result
    }

    /// x if it reaches the threshold, else 0.
    private func thresholdedReLU(_ x: Blob, threshold: Float) throws(WireFormatError) -> Blob {
        let reaches = try binary("GreaterOrEqual", x, scalar(threshold))
        return try emit("Where", [reaches, x, scalar(0)], shape: x.shape, hasBatch: x.hasBatch)
    }

    /// One number, or one for each channel (axis −3), in a shape that broadcasts.
    private func channelParameter(
        _ parameters: Parameters, _ name: String, _ number: Int, of x: Blob
    ) throws(WireFormatError) -> Blob {
        let count = try weightCount(parameters, name, number)
        let numbers = try values(parameters, name, number, count: count)
        if count == 1 { return constant(ONNXTensor(numbers, shape: [1])) }
        guard x.rank >= 3, x.shape[x.rank - 3] == count else {
            throw failure("its \(name) has \(count) numbers for an input of the shape \(x.shape)")
        }
        return constant(ONNXTensor(numbers, shape: [count, 1, 1]))
    }

    /// `ClampedReLULayerParams`: min(β, x) for x ≥ 0, min(β, αx) below.
    private func clampedReLU(_ parameters: Parameters, _ x: Blob) throws(WireFormatError) -> Blob {
        let leaky = try emit("LeakyRelu", x, [], ["alpha": .float(parameters.float("alpha", 1))])
        return try binary("Min", leaky, scalar(parameters.float("beta", 2)))
    }

    /// `GeluLayerParams`: exact, or approximated by tanh or a sigmoid.
    private func gelu(_ parameters: Parameters, _ x: Blob) throws(WireFormatError) -> Blob {
        let gate: Blob
        switch try parameters.integer("mode", 1) {
        case 0:
            let error = try emit("Erf", linear(x, scale: Float(0.5).squareRoot(), shift: 0))
            gate = try linear(error, scale: 0.5, shift: 0.5)
        case 1:
            let cube = try binary("Mul", x, binary("Mul", x, x))
            let inner = try binary("Add", x, linear(cube, scale: 0.044715, shift: 0))
            let tanh = try emit("Tanh", linear(inner, scale: (2 / Float.pi).squareRoot(), shift: 0))
            gate = try linear(tanh, scale: 0.5, shift: 0.5)
        case 2:
            gate = try emit("Sigmoid", linear(x, scale: 1.702, shift: 0))
        case let mode:
            throw failure("its mode is unknown: \(mode)")
        }
        return try binary("Mul", x, gate)
    }
}
