/// Constants of the file, and shapes filled with one number.
extension LayerGraph {
    static let constantHandlers: [CoreMLLayerType: Handler] = [
        .loadConstant: { [try $0.loadConstant($1, $2)] },
        .loadConstantND: { [try $0.loadConstantND($1, $2)] },
        .fillStatic: { [try $0.fillStatic($1, $2)] },
        .fillLike: { [try $0.fill($1, shape: $0.one($2).shape)] },
        .broadcastToStatic: { [try $0.expand($0.one($2), to: $1.sizes("targetShape", 1))] },
        .broadcastToLike: { [try $0.expand($0.two($2).0, to: $2[1].shape)] },
    ]

    /// `LoadConstantLayerParams`: (C, H, W), with leading dimensions of 1 added.
    private func loadConstant(_ parameters: Parameters, _ inputs: [Blob]) throws(WireFormatError) -> Blob {
        let shape = try parameters.sizes("shape", 1)
        guard inputs.isEmpty, shape.count == 3 else { throw failure("its shape \(shape) is not (C, H, W)") }
        let blob = try weights(parameters, "data", 2, shape: shape)
        return try reshape(blob, to: (hasExactShapes ? [1, 1] : [1]) + shape)
    }

    /// `LoadConstantNDLayerParams`.
    private func loadConstantND(_ parameters: Parameters, _ inputs: [Blob]) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        guard inputs.isEmpty else { throw failure("it has \(inputs.count) inputs instead of none") }
        return try weights(parameters, "data", 2, shape: parameters.sizes("shape", 1))
    }

    private func fillStatic(_ parameters: Parameters, _ inputs: [Blob]) throws(WireFormatError) -> Blob {
        guard inputs.isEmpty else { throw failure("it has \(inputs.count) inputs instead of none") }
        return try fill(parameters, shape: parameters.sizes("targetShape", 2))
    }

    private func fill(_ parameters: Parameters, shape: [Int]) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        try check(shape)
        let value = try parameters.float("value", 1)
        return try emit("Expand", [scalar(value), integers(shape)], shape: shape, hasBatch: false)
    }

    private func expand(_ input: Blob, to shape: [Int]) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        try check(shape)
        let target = Blob(value: "", shape: shape, hasBatch: false)
        guard try broadcast([input, target]).shape == shape else {
            throw failure("the shape \(input.shape) does not broadcast to \(shape)")
        }
        return try emit(
            "Expand", [input, integers(shape)], shape: shape,
            hasBatch: input.hasBatch && input.rank == shape.count)
    }
}
