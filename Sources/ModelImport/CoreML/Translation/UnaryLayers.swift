/// Functions of single elements.
struct UnaryLayers: LayerGroup {
    let graph: LayerGraph

    static let handlers: [CoreMLLayerType: Handler] = [
        .unary: { [try $0.unary($1, $0.graph.one($2))] },
        .clip: { [try $0.clip($1, $0.graph.one($2))] },
        .exp2: { [try $0.powerOfTwo($0.graph.one($2))] },
        .ceil: { [try $0.graph.emit("Ceil", $0.graph.one($2))] },
        .floor: { [try $0.graph.emit("Floor", $0.graph.one($2))] },
        .sign: { [try $0.graph.emit("Sign", $0.graph.one($2))] },
        .round: { [try $0.graph.emit("Round", $0.graph.one($2))] },
        .sin: { [try $0.graph.emit("Sin", $0.graph.one($2))] },
        .cos: { [try $0.graph.emit("Cos", $0.graph.one($2))] },
        .tan: { [try $0.graph.emit("Tan", $0.graph.one($2))] },
        .asin: { [try $0.graph.emit("Asin", $0.graph.one($2))] },
        .acos: { [try $0.graph.emit("Acos", $0.graph.one($2))] },
        .atan: { [try $0.graph.emit("Atan", $0.graph.one($2))] },
        .sinh: { [try $0.graph.emit("Sinh", $0.graph.one($2))] },
        .cosh: { [try $0.graph.emit("Cosh", $0.graph.one($2))] },
        .tanh: { [try $0.graph.emit("Tanh", $0.graph.one($2))] },
        .asinh: { [try $0.graph.emit("Asinh", $0.graph.one($2))] },
        .acosh: { [try $0.graph.emit("Acosh", $0.graph.one($2))] },
        .atanh: { [try $0.graph.emit("Atanh", $0.graph.one($2))] },
        .erf: { [try $0.graph.emit("Erf", $0.graph.one($2))] },
        .copy: { [try $0.graph.one($2)] },
    ]

    /// `UnaryFunctionLayerParams`: one of eight functions of `scale * x + shift`.
    private func unary(
        _ parameters: ProtocolBufferMessage, _ input: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        let scale = try parameters.float("scale", 5)
        let alpha = try parameters.float("alpha", 2)
        let epsilon = try NormalizationLayers(graph: graph).epsilon(parameters, 3, otherwise: 1e-6)
        let x = try ActivationLayers(graph: graph).linear(
            input, scale: scale == 0 ? 1 : scale, shift: parameters.float("shift", 4))
        switch try parameters.integer("type", 1) {
        case 0: return try graph.emit("Sqrt", x)
        case 1:
            return try graph.emit(
                "Reciprocal", graph.emit("Sqrt", ActivationLayers(graph: graph).linear(x, scale: 1, shift: epsilon)))
        case 2: return try graph.emit("Reciprocal", ActivationLayers(graph: graph).linear(x, scale: 1, shift: epsilon))
        case 3: return try graph.binary("Pow", x, graph.scalar(alpha))
        case 4: return try graph.emit("Exp", x)
        case 5: return try graph.emit("Log", x)
        case 6: return try graph.emit("Abs", x)
        case 7: return try graph.binary("Max", x, graph.scalar(alpha))
        case let type: throw graph.failure("its function is unknown: \(type)")
        }
    }

    /// `ClipLayerParams`.
    private func clip(
        _ parameters: ProtocolBufferMessage, _ input: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        let bounds = [graph.scalar(try parameters.float("minVal", 1)), graph.scalar(try parameters.float("maxVal", 2))]
        return try graph.emit("Clip", input, bounds)
    }

    private func powerOfTwo(_ input: CoreMLBlob) throws(WireFormatError) -> CoreMLBlob {
        try graph.emit("Pow", [graph.scalar(2), input], shape: input.shape, hasBatch: input.hasBatch)
    }
}
