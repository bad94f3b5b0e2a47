/// Constants of the file, and shapes filled with one number.
struct ConstantLayers: LayerGroup {
    let graph: LayerGraph

    static let handlers: [CoreMLLayerType: Handler] = [
        .loadConstant: { [try $0.loadConstant($1, $2)] },
        .loadConstantND: { [try $0.loadConstantND($1, $2)] },
        .fillStatic: { [try $0.fillStatic($1, $2)] },
        .fillLike: { [try $0.fillLike($1, $0.graph.one($2))] },
        .broadcastToStatic: { [try $0.expand($0.graph.one($2), to: $1.sizes("targetShape", 1))] },
        .broadcastToLike: { [try $0.expandLike($0.graph.two($2))] },
    ]

    /// `LoadConstantLayerParams`: (C, H, W), with leading dimensions of 1 added.
    private func loadConstant(
        _ parameters: ProtocolBufferMessage, _ inputs: [CoreMLBlob]
    ) throws(WireFormatError) -> CoreMLBlob {
        let shape = try parameters.sizes("shape", 1)
        guard inputs.isEmpty, shape.count == 3 else { throw graph.failure("its shape \(shape) is not (C, H, W)") }
        let blob = try graph.weights(parameters, "data", 2, shape: shape)
        return try graph.reshape(blob, to: (graph.hasExactShapes ? [1, 1] : [1]) + shape)
    }

    /// `LoadConstantNDLayerParams`.
    private func loadConstantND(
        _ parameters: ProtocolBufferMessage, _ inputs: [CoreMLBlob]
    ) throws(WireFormatError) -> CoreMLBlob {
        try graph.requireExactShapes()
        guard inputs.isEmpty else { throw graph.failure("it has \(inputs.count) inputs instead of none") }
        return try graph.weights(parameters, "data", 2, shape: parameters.sizes("shape", 1))
    }

    private func fillStatic(
        _ parameters: ProtocolBufferMessage, _ inputs: [CoreMLBlob]
    ) throws(WireFormatError) -> CoreMLBlob {
        guard inputs.isEmpty else { throw graph.failure("it has \(inputs.count) inputs instead of none") }
        return try fill(parameters, shape: parameters.sizes("targetShape", 2))
    }

    private func fillLike(
        _ parameters: ProtocolBufferMessage, _ input: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        try fill(parameters, shape: input.shape)
    }

    private func fill(
        _ parameters: ProtocolBufferMessage, shape: [Int]
    ) throws(WireFormatError) -> CoreMLBlob {
        try graph.requireExactShapes()
        try graph.check(shape)
        let value = try parameters.float("value", 1)
        return try graph.emit("Expand", [graph.scalar(value), graph.integers(shape)], shape: shape, hasBatch: false)
    }

    private func expandLike(_ inputs: (CoreMLBlob, CoreMLBlob)) throws(WireFormatError) -> CoreMLBlob {
        try expand(inputs.0, to: inputs.1.shape)
    }

    private func expand(_ input: CoreMLBlob, to shape: [Int]) throws(WireFormatError) -> CoreMLBlob {
        try graph.requireExactShapes()
        try graph.check(shape)
        let target = CoreMLBlob(value: "", shape: shape, hasBatch: false)
        guard try graph.broadcast([input, target]).shape == shape else {
            throw graph.failure("the shape \(input.shape) does not broadcast to \(shape)")
        }
        return try graph.emit(
            "Expand", [input, graph.integers(shape)], shape: shape,
            hasBatch: input.hasBatch && input.rank == shape.count)
    }
}
