/// Products of matrices.
extension LayerGraph {
    static let matrixHandlers: [CoreMLLayerType: Handler] = [
        .batchedMatmul: { [try $0.matrixProduct($1, $2)] }
    ]

    /// `BatchedMatMulLayerParams`: multiplies matrices of two inputs, or of one input and the file's weights.
    private func matrixProduct(_ parameters: Parameters, _ inputs: [Blob]) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        guard var left = inputs.first, inputs.count <= 2 else {
            throw failure("it has \(inputs.count) inputs instead of 1 or 2")
        }
        if inputs.count == 1 { return try weightProduct(parameters, left) }
        var right = inputs[1]
        if try parameters.bool("transposeA", 1) { left = try matrixTranspose(left) }
        if try parameters.bool("transposeB", 2) { right = try matrixTranspose(right) }
        guard left.rank >= 2, right.rank >= 2 else { throw failure("its inputs are not matrices") }
        let (columns, rows) = (left.shape[left.rank - 1], right.shape[right.rank - 2])
        guard columns == rows else {
            throw failure("matrices of \(columns) columns and \(rows) rows do not multiply")
        }
        // The rows of the second matrix are the terms of the sum, so their number cannot vary with the batch.
        if right.rank == 2, right.hasBatch { fixBatch() }
        let leading = try broadcast([leadingDimensions(left), leadingDimensions(right)])
        let isRowOfBatch = left.rank == 2 && left.hasBatch
        if isRowOfBatch, right.rank > 2 { fixBatch() }
        return try emit(
            "MatMul", [left, right],
            shape: leading.shape + [left.shape[left.rank - 2], right.shape[right.rank - 1]],
            hasBatch: leading.hasBatch || isRowOfBatch && right.rank == 2)
    }

    private func leadingDimensions(_ blob: Blob) -> Blob {
        Blob(value: "", shape: Array(blob.shape.dropLast(2)), hasBatch: blob.hasBatch && blob.rank > 2)
    }

    private func matrixTranspose(_ blob: Blob) throws(WireFormatError) -> Blob {
        guard blob.rank >= 2 else { throw failure("its input of the shape \(blob.shape) is not a matrix") }
        var axes = Array(blob.shape.indices)
        axes.swapAt(blob.rank - 2, blob.rank - 1)
        return try transpose(blob, axes)
    }

    private func weightProduct(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let rows = try parameters.size("weightMatrixFirstDimension", 5)
        let columns = try parameters.size("weightMatrixSecondDimension", 6)
        guard let last = input.shape.last, last == rows else {
            throw failure("a matrix of \(rows) rows does not multiply the shape \(input.shape)")
        }
        // The file stores the matrix by columns, which is the transposed matrix by rows.
        let stored = try weights(parameters, "weights", 8, shape: [columns, rows])
        let product = try emit(
            "MatMul", [input, transpose(stored, [1, 0])], shape: input.shape.dropLast() + [columns],
            hasBatch: input.hasBatch && input.rank > 1)
        guard try parameters.bool("hasBias", 7) else { return product }
        let bias = try values(parameters, "bias", 9, count: columns)
        return try binary("Add", product, constant(ONNXTensor(bias, shape: [columns])))
    }
}
