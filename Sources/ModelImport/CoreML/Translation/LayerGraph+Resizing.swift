extension LayerGraph {
    static let resizingHandlers: [CoreMLLayerType: Handler] = [
        .upsample: { [try $0.upsample($1, $0.one($2))] },
        .resizeBilinear: { [try $0.resizeBilinear($1, $0.one($2))] },
    ]

    /// The positions of a resized picture's pixels in the original, named as in ONNX.
    private enum Sampling: String {
        /// i · in / out.
        case asymmetric
        /// i · (in − 1) / (out − 1).
        case alignCorners = "align_corners"
        /// (i + ½) · in / out − ½.
        case halfPixel = "half_pixel"
    }

    /// `UpsampleLayerParams`: nearest neighbour or bilinear, by whole or fractional factors.
    private func upsample(_ parameters: Parameters, _ original: Blob) throws(WireFormatError) -> Blob {
        let input = try asPictures(original)
        var factors = try parameters.floats("fractionalScalingFactor", 7)
        if factors.isEmpty { factors = try parameters.sizes("scalingFactor", 1).map(Float.init) }
        if factors.isEmpty { factors = [1, 1] }
        guard factors.count == 2, factors.allSatisfy({ $0 > 0 && $0 <= 65_536 }) else {
            throw failure("its scaling factors are \(factors) instead of two from 0 to 65536")
        }
        let size = zip(input.shape[2...], factors).map { length, factor in
            Int((Double(length) * Double(factor)).rounded(.down))
        }
        let isBilinear = try parameters.integer("mode", 5) == 1
        var sampling = Sampling.asymmetric
        if isBilinear {
            switch try parameters.integer("linearUpsampleMode", 6) {
            // The default spacing, (in − in/out) / (out − 1), equals in/out.
            case 0: sampling = .asymmetric
            case 1: sampling = .alignCorners
            case 2: sampling = .halfPixel
            case let mode: throw failure("its linear mode is unknown: \(mode)")
            }
        }
        let result = try resize(input, to: size, isBilinear: isBilinear, sampling)
        return try restoringRank(of: original, result)
    }

    /// `ResizeBilinearLayerParams`: bilinear to a given size.
    private func resizeBilinear(_ parameters: Parameters, _ original: Blob) throws(WireFormatError) -> Blob {
        let input = try asPictures(original)
        let target = try pair(parameters, "targetSize", 1, otherwise: 1)
        let size = [target.height, target.width]
        let sampling: Sampling
        switch try parameters.message("mode", 2)?.integer("samplingMethod", 1) ?? 0 {
        case 0: sampling = .alignCorners
        case 1:
            // A single pixel lies in the middle of the original. Only half-pixel sampling puts it there.
            guard size.contains(1) else { sampling = .alignCorners; break }
            guard size == [1, 1] else { throw failure("it resizes one dimension to 1 with aligned end points") }
            sampling = .halfPixel
        case 2: sampling = .asymmetric
        case let mode: throw failure("its sampling mode \(mode) has no translation; 0, 1 and 2 have")
        }
        let result = try resize(input, to: size, isBilinear: true, sampling)
        return try restoringRank(of: original, result)
    }

    private func resize(
        _ input: Blob, to size: [Int], isBilinear: Bool, _ sampling: Sampling
    ) throws(WireFormatError) -> Blob {
        let shape = [input.shape[0], input.shape[1]] + size
        try check(shape)
        let scales = [1, 1] + zip(input.shape[2...], size).map(Self.scale)
        let empty = Blob(value: "", shape: [], hasBatch: false)
        let operands = [input, empty, constant(ONNXTensor(scales, shape: [4]))]
        var attributes: [String: ONNXAttribute] = [
            "mode": .string(isBilinear ? "linear" : "nearest"),
            "coordinate_transformation_mode": .string(sampling.rawValue),
        ]
        if !isBilinear { attributes["nearest_mode"] = .string("floor") }
        return try emit("Resize", operands, attributes, shape: shape, hasBatch: input.hasBatch)
    }

    /// A factor between two lengths for which ⌊length · factor⌋ is exact in any engine's arithmetic. Giving the size
    /// itself would fix the size of the batch.
    private static func scale(from length: Int, to wished: Int) -> Float {
        var scale = Float(wished) / Float(length)
        while Double(length) * Double(scale) < Double(wished) { scale = scale.nextUp }
        return scale
    }
}
