/// Normalisations by mean, variance or length.
struct NormalizationLayers: LayerGroup {
    let graph: LayerGraph

    static let handlers: [CoreMLLayerType: Handler] = [
        .batchnorm: { [try $0.batchNormalization($1, $0.graph.one($2))] },
        .mvn: { [try $0.meanVarianceNormalization($1, $0.graph.one($2))] },
        .l2normalize: { [try $0.euclideanNormalization($1, $0.graph.one($2))] },
        .lrn: { [try $0.localResponseNormalization($1, $0.graph.one($2))] },
        .softmax: { [try $0.softmax(axisFromEnd: 3, $0.graph.one($2))] },
        .softmaxND: { [try $0.softmaxAlongAxis($1, $0.graph.one($2))] },
        .layerNormalization: { [try $0.layerNormalization($1, $0.graph.one($2))] },
    ]

    /// A small constant that avoids division by zero. The default is `otherwise`.
    func epsilon(
        _ parameters: ProtocolBufferMessage, _ number: Int, otherwise: Float
    ) throws(WireFormatError) -> Float {
        let value = try parameters.float("epsilon", number)
        return value == 0 ? otherwise : value
    }

    /// `BatchnormLayerParams`: γ (x − μ) / √(σ² + ε) + β for each channel. μ and σ² may come from the picture itself.
    private func batchNormalization(
        _ parameters: ProtocolBufferMessage, _ original: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        let channels = try parameters.size("channels", 1)
        let input = try graph.asPictures(original)
        guard input.shape[1] == channels else {
            throw graph.failure("it has \(channels) channels, its input of the shape \(input.shape) \(input.shape[1])")
        }
        let epsilon = try epsilon(parameters, 10, otherwise: 1e-5)
        let gamma = try graph.values(parameters, "gamma", 15, count: channels, otherwise: 1)
        let beta = try graph.values(parameters, "beta", 16, count: channels, otherwise: 0)
        var operands = [input]
        var operation = "BatchNormalization"
        var vectors = [gamma, beta]
        if try parameters.bool("computeMeanVar", 5) {
            operation = "InstanceNormalization"
            // The batch's statistics equal the picture's only for a batch of one.
            if try !parameters.bool("instanceNormalization", 6) { graph.fixBatch() }
        } else {
            vectors.append(try graph.values(parameters, "mean", 17, count: channels))
            vectors.append(try graph.values(parameters, "variance", 18, count: channels))
        }
        for vector in vectors { operands.append(graph.constant(ONNXTensor(vector, shape: [channels]))) }
        let result = try graph.emit(
            operation, operands, ["epsilon": .float(epsilon)], shape: input.shape, hasBatch: input.hasBatch)
        return try graph.restoringRank(of: original, result)
    }

    /// `MeanVarianceNormalizeLayerParams`: over (H, W), or over (C, H, W).
    private func meanVarianceNormalization(
        _ parameters: ProtocolBufferMessage, _ input: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        let axes = try parameters.bool("acrossChannels", 1) ? [-3, -2, -1] : [-2, -1]
        let mean = try ReductionLayers(graph: graph).reduce("ReduceMean", input, axesFromEnd: axes)
        let centred = try graph.binary("Sub", input, mean)
        guard try parameters.bool("normalizeVariance", 2) else { return centred }
        let variance = try ReductionLayers(graph: graph).reduce(
            "ReduceMean", graph.binary("Mul", centred, centred), axesFromEnd: axes)
        let shifted = try graph.binary("Add", variance, graph.scalar(epsilon(parameters, 3, otherwise: 1e-6)))
        return try graph.binary("Div", centred, graph.emit("Sqrt", shifted))
    }

    /// `L2NormalizeLayerParams`: x / √(Σx² + ε) over (C, H, W).
    private func euclideanNormalization(
        _ parameters: ProtocolBufferMessage, _ input: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        try dividedByLength(input, axesFromEnd: [-3, -2, -1], epsilon: epsilon(parameters, 1, otherwise: 1e-6))
    }

    func dividedByLength(
        _ input: CoreMLBlob, axesFromEnd axes: [Int], epsilon: Float
    ) throws(WireFormatError) -> CoreMLBlob {
        let sum = try ReductionLayers(graph: graph).reduce("ReduceSumSquare", input, axesFromEnd: axes)
        return try graph.binary("Div", input, graph.emit("Sqrt", graph.binary("Add", sum, graph.scalar(epsilon))))
    }

    /// `LRNLayerParams`: x / (k + α/n Σx²)^β over n neighbouring channels.
    private func localResponseNormalization(
        _ parameters: ProtocolBufferMessage, _ original: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        let size = try parameters.size("localSize", 3)
        // An even window has no middle, and engines place it differently.
        guard size % 2 == 1 else { throw graph.failure("its window of \(size) channels is not odd") }
        let attributes: [String: ONNXAttribute] = [
            "alpha": .float(try parameters.float("alpha", 1)),
            "beta": .float(try parameters.float("beta", 2)),
            "bias": .float(try epsilon(parameters, 4, otherwise: 1)),
            "size": .integer(size),
        ]
        return try graph.restoringRank(of: original, graph.emit("LRN", graph.asPictures(original), [], attributes))
    }

    private func softmax(axisFromEnd: Int, _ input: CoreMLBlob) throws(WireFormatError) -> CoreMLBlob {
        guard input.rank >= axisFromEnd else {
            throw graph.failure("its input of the shape \(input.shape) has fewer than \(axisFromEnd) dimensions")
        }
        let axis = input.rank - axisFromEnd
        if axis == 0, input.hasBatch { graph.fixBatch() }
        return try graph.emit("Softmax", input, [], ["axis": .integer(axis)])
    }

    private func softmaxAlongAxis(
        _ parameters: ProtocolBufferMessage, _ input: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        let axis = try graph.axis(parameters.integer("axis", 1), of: input)
        return try graph.emit("Softmax", input, [], ["axis": .integer(axis)])
    }

    /// `LayerNormalizationLayerParams`: normalises over the last dimensions, given by `normalizedShape`.
    private func layerNormalization(
        _ parameters: ProtocolBufferMessage, _ input: CoreMLBlob
    ) throws(WireFormatError) -> CoreMLBlob {
        let shape = try parameters.sizes("normalizedShape", 1)
        guard !shape.isEmpty, shape.count <= input.rank, Array(input.shape.suffix(shape.count)) == shape else {
            throw graph.failure("it normalises \(shape), which are not the last dimensions of \(input.shape)")
        }
        if shape.count == input.rank, input.hasBatch { graph.fixBatch() }
        let count = shape.reduce(1, *)
        let gamma = try graph.values(parameters, "gamma", 3, count: count, otherwise: 1)
        let beta = try graph.values(parameters, "beta", 4, count: count, otherwise: 0)
        let mean = try ReductionLayers(graph: graph).reduce("ReduceMean", input, axesFromEnd: Array(-shape.count..<0))
        let centred = try graph.binary("Sub", input, mean)
        let variance = try ReductionLayers(graph: graph).reduce(
            "ReduceMean", graph.binary("Mul", centred, centred), axesFromEnd: Array(-shape.count..<0))
        let deviation = try graph.emit("Sqrt", graph.binary("Add", variance, graph.scalar(parameters.float("eps", 2))))
        let scaled = try graph.binary(
            "Mul", graph.binary("Div", centred, deviation), graph.constant(ONNXTensor(gamma, shape: shape)))
        return try graph.binary("Add", scaled, graph.constant(ONNXTensor(beta, shape: shape)))
    }
}
