extension NetworkTranslator {
    static let constantHandlers: [CoreMLLayerType: Handler] = [
        .loadConstant: { [try $0.loadConstant($1, $2)] },
        .loadConstantND: { [try $0.loadConstantND($1, $2)] },
        .fillStatic: { [try $0.fillStatic($1, $2)] },
        .fillLike: { [try $0.fillLike($1, $0.one($2))] },
        .broadcastToStatic: { [try $0.expand($0.one($2), to: $1.sizes("targetShape", 1))] },
        .broadcastToLike: { [try $0.expandLike($0.two($2))] },
    ]

    /// `LoadConstantLayerParams`: (C, H, W), which become rank 5 in the file's terms.
    private mutating func loadConstant(
        _ parameters: ProtocolBufferMessage, _ inputs: [CoreMLBlob]
    ) throws(WireFormatError) -> CoreMLBlob {
        let shape = try parameters.sizes("shape", 1)
        guard inputs.isEmpty, shape.count == 3 else { throw failure("its shape \(shape) is not (C, H, W)") }
        let blob = try weights(parameters, "data", 2, shape: shape)
        return try reshape(blob, to: (hasExactShapes ? [1, 1] : [1]) + shape)
    }

    /// `LoadConstantNDLayerParams`.
    private mutating func loadConstantND(
        _ parameters: ProtocolBufferMessage, _ inputs: [CoreMLBlob]
    ) throws(WireFormatError) -> CoreMLBlob {
        try requireExactShapes()
        guard inputs.isEmpty else { throw failure("it has \(inputs.count) inputs instead of none") }
        return try weights(parameters, "data", 2, shape: parameters.sizes("shape", 1))
    }

    private mutating func fillStatic(
        _ parameters: ProtocolBufferMessage, _ inputs: [CoreMLBlob]
    ) throws(WireFormatError) -> CoreMLBlob {
        guard inputs.isEmpty else { throw failure("it has \(inputs.count) inputs instead of none") }
        return try fill(parameters, shape: parameters.sizes("targetShape", 2))
    }

    private mutating func fillLike(
        _ parameters: ProtocolBufferMessage, _ input: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        try fill(parameters, shape: input.shape)
    }

    private mutating func fill(
        _ parameters: ProtocolBufferMessage, shape: [Int]
    ) throws(WireFormatError) -> CoreMLBlob {
        try requireExactShapes()
        try check(shape)
        let value = try parameters.float("value", 1)
        return try emit("Expand", [scalar(value), integers(shape)], shape: shape, hasBatch: false)
    }

    private mutating func expandLike(_ inputs: (CoreMLBlob, CoreMLBlob)) throws(WireFormatError) -> CoreMLBlob {
        try expand(inputs.0, to: inputs.1.shape)
    }

    private mutating func expand(_ input: CoreMLBlob, to shape: [Int]) throws(WireFormatError) -> CoreMLBlob {
        try requireExactShapes()
        try check(shape)
        let target = CoreMLBlob(value: "", shape: shape, hasBatch: false)
        guard try broadcast([input, target]).shape == shape else {
            throw failure("the shape \(input.shape) does not broadcast to \(shape)")
        }
        return try emit(
            "Expand", [input, integers(shape)], shape: shape, hasBatch: input.hasBatch && input.rank == shape.count)
    }
}
