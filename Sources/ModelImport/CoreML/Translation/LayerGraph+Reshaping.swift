/// Layers that only change the shape or the order of the elements.
extension LayerGraph {
    static let reshapingHandlers: [CoreMLLayerType: Handler] = [
        .flatten: { [try $0.flatten($1, $0.one($2))] },
        .reshape: { [try $0.reshape($1, $0.one($2))] },
        .permute: { [try $0.permute($1, $0.one($2))] },
        .transpose: { [try $0.transposeAxes($1, $0.one($2))] },
        .squeeze: { [try $0.squeeze($1, $0.one($2))] },
        .expandDims: { [try $0.expandDimensions($1, $0.one($2))] },
        .flattenTo2D: { [try $0.flattenToMatrix($1, $0.one($2))] },
        .reshapeStatic: { [try $0.reshapeStatic($1, $0.one($2))] },
        .rankPreservingReshape: { [try $0.reshapeStatic($1, $0.one($2))] },
        .reshapeLike: { [try $0.reshapeLike($0.two($2))] },
    ]

    /// `FlattenLayerParams`: (…, C, H, W) → (…, C·H·W, 1, 1), channels first or last.
    private func flatten(_ parameters: Parameters, _ original: Blob) throws(WireFormatError) -> Blob {
        var input = try asPictures(original)
        let count = input.shape[1...].reduce(1, *)
        if try parameters.integer("mode", 1) == 1 { input = try channelsLast(input) }
        return try restoringRank(of: original, reshape(input, to: [input.shape[0], count, 1, 1]))
    }

    /// (N, C, H, W) → (N, H, W, C). Needs no node if that moves nothing.
    private func channelsLast(_ input: Blob) throws(WireFormatError) -> Blob {
        let moved = [0, 2, 3, 1].map { input.shape[$0] }
        if input.shape[1] == 1 || input.shape[2] * input.shape[3] == 1 { return try reshape(input, to: moved) }
        return try transpose(input, [0, 2, 3, 1])
    }

    /// `ReshapeLayerParams`: reshapes to (C, H, W) or (sequence, C, H, W), channels first or last.
    private func reshape(_ parameters: Parameters, _ original: Blob) throws(WireFormatError) -> Blob {
        let target = try parameters.integers("targetShape", 1)
        let isChannelsLast = try parameters.integer("mode", 2) == 1
        var input = try asPictures(original)
        guard target.count == 3 || target.count == 4 else {
            throw failure("its target shape \(target) is neither (C, H, W) nor (sequence, C, H, W)")
        }
        var shape = target.count == 3 ? [input.shape[0]] + target : target
        try inferDimension(of: &shape, from: input)
        guard isChannelsLast else { return try restoringLeading(of: original, reshape(input, to: shape)) }
        input = try channelsLast(input)
        let reshaped = try reshape(input, to: [shape[0], shape[2], shape[3], shape[1]])
        return try restoringLeading(of: original, transpose(reshaped, [0, 3, 1, 2]))
    }

    private func restoringLeading(of original: Blob, _ result: Blob) throws(WireFormatError) -> Blob {
        if original.rank == 5 { return try reshape(result, to: [result.shape[0], 1] + result.shape[1...]) }
        return try restoringRank(of: original, result)
    }

    /// `PermuteLayerParams`: reorders (sequence, C, H, W). The batch stays.
    private func permute(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let axes = try parameters.sizes("axis", 1)
        if axes.isEmpty { return input }
        guard axes.sorted() == [0, 1, 2, 3] else { throw failure("\(axes) is not an order of 0, 1, 2 and 3") }
        if input.rank == 5 {
            let positions = axes.map { $0 == 0 ? 0 : $0 + 1 }
            return try transpose(input, [positions[0], 1] + positions[1...])
        }
        return try transpose(input, axes)
    }

    private func transposeAxes(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        return try transpose(input, parameters.sizes("axes", 1))
    }

    private func squeeze(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        var removed: Set<Int> = []
        if try parameters.bool("squeezeAll", 2) {
            removed = Set(input.shape.indices.filter { input.shape[$0] == 1 })
        } else {
            for axis in try parameters.integers("axes", 1) {
                let position = axis < 0 ? axis + input.rank : axis
                guard input.shape.indices.contains(position), input.shape[position] == 1 else {
                    throw failure("the axis \(axis) of the shape \(input.shape) is not 1")
                }
                removed.insert(position)
            }
        }
        let shape = input.shape.indices.filter { !removed.contains($0) }.map { input.shape[$0] }
        return try reshape(input, to: shape.isEmpty ? [1] : shape, keepsFirst: !removed.contains(0))
    }

    private func expandDimensions(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        let axes = try parameters.integers("axes", 1)
        let rank = input.rank + axes.count
        guard rank <= Self.maximumRank else { throw failure("its result would have \(rank) dimensions") }
        let added = Set(axes.map { $0 < 0 ? $0 + rank : $0 })
        guard added.count == axes.count, added.allSatisfy((0..<rank).contains) else {
            throw failure("its axes \(axes) are outside \(rank) dimensions, or twice the same")
        }
        var rest = input.shape[...]
        let shape = (0..<rank).map { added.contains($0) ? 1 : rest.removeFirst() }
        return try reshape(input, to: shape, keepsFirst: !added.contains(0))
    }

    /// `FlattenTo2DLayerParams`: merges the dimensions before the axis into one, and the rest into another.
    private func flattenToMatrix(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        let axis = try parameters.integer("axis", 1)
        let position = axis < 0 ? axis + input.rank : axis
        guard (0...input.rank).contains(position) else {
            throw failure("the axis \(axis) is outside \(input.shape)")
        }
        let shape = [input.shape[..<position].reduce(1, *), input.shape[position...].reduce(1, *)]
        return try reshape(input, to: shape, keepsFirst: position == 1)
    }

    /// `ReshapeStaticLayerParams` and `RankPreservingReshapeLayerParams`: 0 keeps a dimension, −1 is inferred.
    private func reshapeStatic(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        var shape = try parameters.integers("targetShape", 1)
        guard shape.count <= Self.maximumRank else {
            throw failure("its target shape has \(shape.count) dimensions")
        }
        for (index, dimension) in shape.enumerated() where dimension == 0 && index < input.rank {
            shape[index] = input.shape[index]
        }
        try inferDimension(of: &shape, from: input)
        return try reshape(input, to: shape)
    }

    private func reshapeLike(_ inputs: (Blob, Blob)) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        return try reshape(inputs.0, to: inputs.1.shape)
    }

    /// Infers the one dimension that is −1.
    private func inferDimension(of shape: inout [Int], from input: Blob) throws(WireFormatError) {
        let unknown = shape.indices.filter { shape[$0] == -1 }
        guard unknown.count <= 1 else { throw failure("its target shape \(shape) has more than one −1") }
        guard let index = unknown.first else { return }
        var known = shape
        known[index] = 1
        try check(known)
        shape[index] = input.shape.reduce(1, *) / known.reduce(1, *)
    }
}
