/// Normalisations by mean, variance or length.
extension LayerGraph {
    static let normalizationHandlers: [CoreMLLayerType: Handler] = [
        .batchnorm: { [try $0.batchNormalization($1, $0.one($2))] },
        .mvn: { [try $0.meanVarianceNormalization($1, $0.one($2))] },
        // x / √(Σx² + ε) over (C, H, W).
        .l2normalize: {
            let epsilon = try $0.epsilon($1, 1, otherwise: 1e-6)
            return [try $0.dividedByLength($0.one($2), axesFromEnd: [-3, -2, -1], epsilon: epsilon)]
        },
        .lrn: { [try $0.localResponseNormalization($1, $0.one($2))] },
        .softmax: { [try $0.softmax(axisFromEnd: 3, $0.one($2))] },
        .softmaxND: { [try $0.softmaxAlongAxis($1, $0.one($2))] },
        .layerNormalization: { [try $0.layerNormalization($1, $0.one($2))] },
    ]

    /// A small constant that avoids division by zero. The default is `otherwise`.
    func epsilon(_ parameters: Parameters, _ number: Int, otherwise: Float) throws(WireFormatError) -> Float {
        let value = try parameters.float("epsilon", number)
        return value == 0 ? otherwise : value
    }

    /// `BatchnormLayerParams`: γ (x − μ) / √(σ² + ε) + β for each channel. μ and σ² may come from the picture itself.
    private func batchNormalization(_ parameters: Parameters, _ original: Blob) throws(WireFormatError) -> Blob {
        let channels = try parameters.size("channels", 1)
        let input = try asPictures(original)
        guard input.shape[1] == channels else {
            throw failure("it has \(channels) channels, its input of the shape \(input.shape) \(input.shape[1])")
        }
        let epsilon = try epsilon(parameters, 10, otherwise: 1e-5)
        let gamma = try values(parameters, "gamma", 15, count: channels, otherwise: 1)
        let beta = try values(parameters, "beta", 16, count: channels, otherwise: 0)
        var operands = [input]
        var operation = "BatchNormalization"
        var vectors = [gamma, beta]
        if try parameters.bool("computeMeanVar", 5) {
            operation = "InstanceNormalization"
            // The batch's statistics equal the picture's only for a batch of one.
            if try !parameters.bool("instanceNormalization", 6) { fixBatch() }
        } else {
            vectors.append(try values(parameters, "mean", 17, count: channels))
            vectors.append(try values(parameters, "variance", 18, count: channels))
        }
        for vector in vectors { operands.append(constant(ONNXTensor(vector, shape: [channels]))) }
        let result = try emit(
            operation, operands, ["epsilon": .float(epsilon)], shape: input.shape, hasBatch: input.hasBatch)
        return try restoringRank(of: original, result)
    }

    /// `MeanVarianceNormalizeLayerParams`: over (H, W), or over (C, H, W).
    private func meanVarianceNormalization(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let axes = try parameters.bool("acrossChannels", 1) ? [-3, -2, -1] : [-2, -1]
        let mean = try reduce("ReduceMean", input, axesFromEnd: axes)
        let centred = try binary("Sub", input, mean)
        guard try parameters.bool("normalizeVariance", 2) else { return centred }
        let variance = try reduce("ReduceMean", binary("Mul", centred, centred), axesFromEnd: axes)
        let shifted = try binary("Add", variance, scalar(epsilon(parameters, 3, otherwise: 1e-6)))
        return try binary("Div", centred, emit("Sqrt", shifted))
    }

    func dividedByLength(_ input: Blob, axesFromEnd axes: [Int], epsilon: Float) throws(WireFormatError) -> Blob {
        let sum = try reduce("ReduceSumSquare", input, axesFromEnd: axes)
        return try binary("Div", input, emit("Sqrt", binary("Add", sum, scalar(epsilon))))
    }

    /// `LRNLayerParams`: x / (k + α/n Σx²)^β over n neighbouring channels.
    private func localResponseNormalization(
        _ parameters: Parameters, _ original: Blob
    ) throws(WireFormatError) -> Blob {
        let size = try parameters.size("localSize", 3)
        // An even window has no middle, and engines place it differently.
        guard size % 2 == 1 else { throw failure("its window of \(size) channels is not odd") }
        let attributes: [String: ONNXAttribute] = [
            "alpha": .float(try parameters.float("alpha", 1)),
            "beta": .float(try parameters.float("beta", 2)),
            "bias": .float(try epsilon(parameters, 4, otherwise: 1)),
            "size": .integer(size),
        ]
        return try restoringRank(of: original, emit("LRN", asPictures(original), [], attributes))
    }

    private func softmax(axisFromEnd: Int, _ input: Blob) throws(WireFormatError) -> Blob {
        guard input.rank >= axisFromEnd else {
            throw failure("its input of the shape \(input.shape) has fewer than \(axisFromEnd) dimensions")
        }
        let axis = input.rank - axisFromEnd
        if axis == 0, input.hasBatch { fixBatch() }
        return try emit("Softmax", input, [], ["axis": .integer(axis)])
    }

    private func softmaxAlongAxis(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let axis = try axis(parameters.integer("axis", 1), of: input)
        return try emit("Softmax", input, [], ["axis": .integer(axis)])
    }

    /// `LayerNormalizationLayerParams`: normalises over the last dimensions, given by `normalizedShape`.
    private func layerNormalization(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let shape = try parameters.sizes("normalizedShape", 1)
        guard !shape.isEmpty, shape.count <= input.rank, Array(input.shape.suffix(shape.count)) == shape else {
            throw failure("it normalises \(shape), which are not the last dimensions of \(input.shape)")
        }
        if shape.count == input.rank, input.hasBatch { fixBatch() }
        let count = shape.reduce(1, *)
        let gamma = try values(parameters, "gamma", 3, count: count, otherwise: 1)
        let beta = try values(parameters, "beta", 4, count: count, otherwise: 0)
        let mean = try reduce("ReduceMean", input, axesFromEnd: Array(-shape.count..<0))
        let centred = try binary("Sub", input, mean)
        let variance = try reduce("ReduceMean", binary("Mul", centred, centred), axesFromEnd: Array(-shape.count..<0))
        let deviation = try emit("Sqrt", binary("Add", variance, scalar(parameters.float("eps", 2))))
        let scaled = try binary("Mul", binary("Div", centred, deviation), constant(ONNXTensor(gamma, shape: shape)))
        return try binary("Add", scaled, constant(ONNXTensor(beta, shape: shape)))
    }
}
