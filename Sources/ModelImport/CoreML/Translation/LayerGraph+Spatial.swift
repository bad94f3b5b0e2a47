/// Layers that crop or pad pictures, or reorder their pixels.
extension LayerGraph {
    static let spatialHandlers: [CoreMLLayerType: Handler] = [
        .crop: { [try $0.crop($1, $2)] },
        .padding: { [try $0.pad($1, $0.one($2))] },
        .constantPad: { [try $0.constantPad($1, $0.one($2))] },
        .reorganizeData: { [try $0.reorganize($1, $0.one($2))] },
    ]

    /// `CropLayerParams`: cuts off edges, or cuts out the size of a second input at an offset.
    private func crop(_ parameters: Parameters, _ inputs: [Blob]) throws(WireFormatError) -> Blob {
        guard let input = inputs.first, inputs.count <= 2, inputs.allSatisfy({ $0.rank >= 2 }) else {
            throw failure("it has \(inputs.count) inputs instead of 1 or 2 pictures")
        }
        let (height, width) = (input.shape[input.rank - 2], input.shape[input.rank - 1])
        var top = 0
        var left = 0
        var size = (height: height, width: width)
        if inputs.count == 2 {
            let offset = try parameters.sizes("offset", 5)
            guard offset.isEmpty || offset.count == 2 else {
                throw failure("its offset \(offset) is not of two sizes")
            }
            if offset.count == 2 { (top, left) = (offset[0], offset[1]) }
            size = (inputs[1].shape[inputs[1].rank - 2], inputs[1].shape[inputs[1].rank - 1])
        } else {
            let cut = try borders(parameters.message("cropAmounts", 1))
            (top, left) = (cut.top, cut.left)
            size = (height - cut.top - cut.bottom, width - cut.left - cut.right)
        }
        guard size.height > 0, size.width > 0, top + size.height <= height, left + size.width <= width else {
            throw failure("it cuts \(size) at (\(top), \(left)) out of \(height)×\(width)")
        }
        let positions = [input.rank - 2, input.rank - 1]
        return try slice(
            input, starts: [top, left], ends: [top + size.height, left + size.width], positions: positions,
            steps: [1, 1])
    }

    /// `PaddingLayerParams`: pads with a constant, or by reflecting or repeating the edge.
    private func pad(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let borders = try borders(parameters.message("paddingAmounts", 10))
        if parameters.contains(2) {
            guard input.rank >= 2,
                max(borders.top, borders.bottom) < input.shape[input.rank - 2],
                max(borders.left, borders.right) < input.shape[input.rank - 1]
            else { throw failure("a reflection of \(borders.pads) is larger than its input, \(input.shape)") }
            return try pad(input, borders, mode: "reflect")
        }
        if parameters.contains(3) { return try pad(input, borders, mode: "edge") }
        return try pad(input, borders, value: parameters.message("constant", 1)?.float("value", 1) ?? 0)
    }

    /// Adds borders to the last two dimensions.
    func pad(
        _ input: Blob, _ borders: CoreMLBorders, mode: String = "constant", value: Float = 0
    ) throws(WireFormatError) -> Blob {
        guard input.rank >= 2 else { throw failure("its input of the shape \(input.shape) is not a picture") }
        if borders.pads.allSatisfy({ $0 == 0 }) { return input }
        let leading = Array(repeating: 0, count: input.rank - 2)
        return try pad(
            input, starts: leading + [borders.top, borders.left], ends: leading + [borders.bottom, borders.right],
            mode: mode, value: value)
    }

    private func pad(
        _ input: Blob, starts: [Int], ends: [Int], mode: String, value: Float
    ) throws(WireFormatError) -> Blob {
        if input.hasBatch, starts[0] + ends[0] > 0 { fixBatch() }
        let shape = input.shape.indices.map { input.shape[$0] + starts[$0] + ends[$0] }
        var operands = [input, integers(starts + ends)]
        if mode == "constant" { operands.append(scalar(value)) }
        return try emit("Pad", operands, ["mode": .string(mode)], shape: shape, hasBatch: input.hasBatch)
    }

    /// `ConstantPaddingLayerParams`: the amounts before and after each dimension, or the final size.
    private func constantPad(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        let amounts = try parameters.sizes("padAmounts", 2)
        guard amounts.count == 2 * input.rank else {
            throw failure("it has \(amounts.count) amounts for the shape \(input.shape), two each are needed")
        }
        var starts = input.shape.indices.map { amounts[2 * $0] }
        var ends = input.shape.indices.map { amounts[2 * $0 + 1] }
        if try parameters.bool("padToGivenOutputSizeMode", 3) {
            for (index, dimension) in input.shape.enumerated() {
                starts[index] = max(0, starts[index] - dimension)
                ends[index] = max(0, ends[index] - dimension)
            }
        }
        return try pad(input, starts: starts, ends: ends, mode: "constant", value: parameters.float("value", 1))
    }

    /// `ReorganizeDataLayerParams`: moves pixels to channels or back.
    private func reorganize(_ parameters: Parameters, _ original: Blob) throws(WireFormatError) -> Blob {
        let input = try asPictures(original)
        let block = try parameters.size("blockSize", 2)
        guard block > 0, block <= 1 << 15 else { throw failure("its block size is \(block)") }
        let (channels, height, width) = (input.shape[1], input.shape[2], input.shape[3])
        let mode = try parameters.integer("mode", 1)
        var attributes: [String: ONNXAttribute] = ["blocksize": .integer(block)]
        let result: Blob
        switch mode {
        case 0:
            guard height % block == 0, width % block == 0 else {
                throw failure("its block of \(block) does not divide \(height)×\(width)")
            }
            result = try emit(
                "SpaceToDepth", [input], attributes,
                shape: [input.shape[0], channels * block * block, height / block, width / block],
                hasBatch: input.hasBatch)
        case 1, 2:
            guard channels % (block * block) == 0 else {
                throw failure("its block of \(block)×\(block) does not divide \(channels) channels")
            }
            // DCR means that the position in the block comes first in the channels, CRD that the result's channel does.
            attributes["mode"] = .string(mode == 1 ? "DCR" : "CRD")
            result = try emit(
                "DepthToSpace", [input], attributes,
                shape: [input.shape[0], channels / (block * block), height * block, width * block],
                hasBatch: input.hasBatch)
        default:
            throw failure("its mode is unknown: \(mode)")
        }
        return try restoringRank(of: original, result)
    }
}
