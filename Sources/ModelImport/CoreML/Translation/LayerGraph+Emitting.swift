/// The nodes from which layers are built.
extension LayerGraph {
    /// Appends a node with one result.
    ///
    /// - Throws: if the shape has an empty dimension or exceeds the limits.
    func emit(
        _ operation: String, _ inputs: [Blob], _ attributes: [String: ONNXAttribute] = [:],
        shape: [Int], hasBatch: Bool
    ) throws(WireFormatError) -> Blob {
        try check(shape)
        let name = onnx.node(
            operation, inputs.map(\.value), output: "\(layerName)/\(operation)", attributes: attributes)
        return Blob(value: name, shape: shape, hasBatch: hasBatch)
    }

    /// Appends a node whose result has the shape of its first input.
    func emit(
        _ operation: String, _ input: Blob, _ others: [Blob] = [],
        _ attributes: [String: ONNXAttribute] = [:]
    ) throws(WireFormatError) -> Blob {
        try emit(operation, [input] + others, attributes, shape: input.shape, hasBatch: input.hasBatch)
    }

    func check(_ shape: [Int]) throws(WireFormatError) {
        guard shape.count <= Self.maximumRank else {
            throw failure("a blob of the shape \(shape) has more than \(Self.maximumRank) dimensions")
        }
        var count = 1
        for dimension in shape {
            guard dimension > 0, dimension <= Self.maximumElements, count * dimension <= Self.maximumElements else {
                throw failure("a blob of the shape \(shape) has no elements, or more than \(Self.maximumElements)")
            }
            count *= dimension
        }
    }

    func constant(_ tensor: ONNXTensor) -> Blob {
        Blob(value: onnx.constant(tensor, named: "\(layerName)/constant"), shape: tensor.shape, hasBatch: false)
    }

    func scalar(_ value: Float) -> Blob { constant(ONNXTensor(scalar: value)) }

    func integers(_ values: [Int]) -> Blob { constant(ONNXTensor(values)) }

    /// Appends a node with two inputs that broadcast as in numpy.
    func binary(_ operation: String, _ left: Blob, _ right: Blob) throws(WireFormatError) -> Blob {
        let (shape, hasBatch) = try broadcast([left, right])
        return try emit(operation, [left, right], shape: shape, hasBatch: hasBatch)
    }

    /// The common shape of blobs that broadcast as in numpy. They are aligned at their last dimensions, which must be
    /// equal or 1.
    func broadcast(_ blobs: [Blob]) throws(WireFormatError) -> (shape: [Int], hasBatch: Bool) {
        let rank = blobs.map(\.rank).max() ?? 0
        var shape = Array(repeating: 1, count: rank)
        for blob in blobs {
            for (index, dimension) in blob.shape.enumerated() {
                let position = rank - blob.rank + index
                guard dimension == 1 || shape[position] == 1 || shape[position] == dimension else {
                    throw failure("inputs of the shapes \(blobs.map(\.shape)) do not go together")
                }
                shape[position] = max(shape[position], dimension)
            }
        }
        let hasBatch = blobs.contains { $0.hasBatch && $0.rank == rank }
        let isMixed =
            blobs.contains { $0.hasBatch && $0.rank < rank }
            || hasBatch && blobs.contains { !$0.hasBatch && $0.rank == rank && $0.shape[0] > 1 }
        if isMixed { fixBatch() }
        return (shape, hasBatch)
    }

    /// Reshapes in row-major order. The first dimension is the batch if the input's is.
    func reshape(_ blob: Blob, to shape: [Int]) throws(WireFormatError) -> Blob {
        try check(shape)
        guard blob.shape.reduce(1, *) == shape.reduce(1, *) else {
            throw failure("the shape \(blob.shape) cannot become \(shape)")
        }
        if blob.shape == shape { return blob }
        var target = shape
        var hasBatch = blob.hasBatch
        if hasBatch {
            if shape.first == blob.shape.first {
                target[0] = -1
            } else {
                hasBatch = false
                fixBatch()
            }
        }
        return try emit("Reshape", [blob, integers(target)], shape: shape, hasBatch: hasBatch)
    }

    /// Reshapes. The first dimension may be another one of the same size unless `keepsFirst`.
    func reshape(_ blob: Blob, to shape: [Int], keepsFirst: Bool) throws(WireFormatError) -> Blob {
        if keepsFirst || !blob.hasBatch { return try reshape(blob, to: shape) }
        fixBatch()
        return try reshape(Blob(value: blob.value, shape: blob.shape, hasBatch: false), to: shape)
    }

    /// Reorders the dimensions: result dimension i is input dimension `axes[i]`.
    func transpose(_ blob: Blob, _ axes: [Int]) throws(WireFormatError) -> Blob {
        guard axes.sorted() == Array(blob.shape.indices) else {
            throw failure("\(axes) is not an order of the dimensions of \(blob.shape)")
        }
        if axes == Array(blob.shape.indices) { return blob }
        var hasBatch = blob.hasBatch
        if hasBatch, axes.first != 0 {
            hasBatch = false
            fixBatch()
        }
        return try emit(
            "Transpose", [blob], ["perm": .integers(axes)], shape: axes.map { blob.shape[$0] }, hasBatch: hasBatch)
    }

    /// The blob as (N, C, H, W), which layers on pictures take. Its leading dimensions are merged.
    func asPictures(_ blob: Blob) throws(WireFormatError) -> Blob {
        if blob.rank == 4 { return blob }
        guard blob.rank >= 3 else {
            throw failure("its input of the shape \(blob.shape) has fewer than three dimensions")
        }
        let leading = blob.shape.dropLast(3).reduce(1, *)
        return try reshape(blob, to: [leading] + blob.shape.suffix(3))
    }

    /// Gives a result the leading dimensions of `original` again, to undo ``asPictures(_:)``.
    func restoringRank(of original: Blob, _ pictures: Blob) throws(WireFormatError) -> Blob {
        if original.rank == 4 { return pictures }
        return try reshape(pictures, to: original.shape.dropLast(3) + pictures.shape.suffix(3))
    }

    /// Converts the file's number of an axis to a position in `blob.shape`. Negative numbers count from the back.
    ///
    /// In rank-5 networks the file's axes are (sequence, batch, C, H, W).
    func axis(_ axis: Int, of blob: Blob) throws(WireFormatError) -> Int {
        let fileRank = hasExactShapes ? blob.rank : 5
        guard axis >= -fileRank, axis < fileRank else {
            throw failure("the axis \(axis) is outside the \(fileRank) dimensions of its input")
        }
        var position = axis < 0 ? axis + fileRank : axis
        if !hasExactShapes { position = max(0, position - 1) }
        guard blob.shape.indices.contains(position) else {
            throw failure("the axis \(axis) is outside the shape \(blob.shape)")
        }
        if position == 0, blob.hasBatch { fixBatch() }
        return position
    }

    func requireExactShapes() throws(WireFormatError) {
        guard hasExactShapes else {
            throw failure("it needs the exact shape mapping of specification 4; the network uses rank 5")
        }
    }

    func one(_ inputs: [Blob]) throws(WireFormatError) -> Blob {
        guard inputs.count == 1 else { throw failure("it has \(inputs.count) inputs instead of 1") }
        return inputs[0]
    }

    func two(_ inputs: [Blob]) throws(WireFormatError) -> (Blob, Blob) {
        guard inputs.count == 2 else { throw failure("it has \(inputs.count) inputs instead of 2") }
        return (inputs[0], inputs[1])
    }
}
