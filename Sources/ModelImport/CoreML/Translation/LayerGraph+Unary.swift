/// Functions of single elements.
extension LayerGraph {
    static let unaryHandlers = namesakes.reduce(into: others) { handlers, type in
        handlers[type] = { [try $0.emit(type.onnxName, $0.one($2))] }
    }

    /// ONNX has these functions, too.
    private static let namesakes: [CoreMLLayerType] = [
        .ceil, .floor, .sign, .round, .sin, .cos, .tan, .asin, .acos, .atan, .sinh, .cosh, .tanh, .asinh, .acosh,
        .atanh, .erf,
    ]

    private static let others: [CoreMLLayerType: Handler] = [
        .unary: { [try $0.unary($1, $0.one($2))] },
        .clip: { [try $0.clip($1, $0.one($2))] },
        .exp2: { [try $0.powerOfTwo($0.one($2))] },
        .copy: { [try $0.one($2)] },
    ]

    /// `UnaryFunctionLayerParams`: one of eight functions of `scale * x + shift`.
    private func unary(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let scale = try parameters.float("scale", 5)
        let alpha = try parameters.float("alpha", 2)
        let epsilon = try epsilon(parameters, 3, otherwise: 1e-6)
        let x = try linear(input, scale: scale == 0 ? 1 : scale, shift: parameters.float("shift", 4))
        switch try parameters.integer("type", 1) {
        case 0: return try emit("Sqrt", x)
        case 1:
            return try emit("Reciprocal", emit("Sqrt", linear(x, scale: 1, shift: epsilon)))
        case 2: return try emit("Reciprocal", linear(x, scale: 1, shift: epsilon))
        case 3: return try binary("Pow", x, scalar(alpha))
        case 4: return try emit("Exp", x)
        case 5: return try emit("Log", x)
        case 6: return try emit("Abs", x)
        case 7: return try binary("Max", x, scalar(alpha))
        case let type: throw failure("its function is unknown: \(type)")
        }
    }

    /// `ClipLayerParams`.
    private func clip(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let bounds = [scalar(try parameters.float("minVal", 1)), scalar(try parameters.float("maxVal", 2))]
        return try emit("Clip", input, bounds)
    }

    private func powerOfTwo(_ input: Blob) throws(WireFormatError) -> Blob {
        try emit("Pow", [scalar(2), input], shape: input.shape, hasBatch: input.hasBatch)
    }
}
