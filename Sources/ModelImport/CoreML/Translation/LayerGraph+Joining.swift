/// Concatenation, stacking, splitting and repetition.
extension LayerGraph {
    static let joiningHandlers: [CoreMLLayerType: Handler] = [
        .concat: { [try $0.concatenateChannels($1, $2)] },
        .concatND: { [try $0.concatenate($1, $2)] },
        .stack: { [try $0.stack($1, $2)] },
        .split: { try $0.splitChannels($1, $0.one($2)) },
        .splitND: { try $0.split($1, $0.one($2)) },
        .sequenceRepeat: { [try $0.repeatSequence($1, $0.one($2))] },
        .tile: { [try $0.tile($1, $0.one($2))] },
    ]

    /// `ConcatLayerParams`: joins along the channels (axis −3) or the sequence (axis −5).
    private func concatenateChannels(_ parameters: Parameters, _ inputs: [Blob]) throws(WireFormatError) -> Blob {
        let fromEnd = try !parameters.bool("sequenceConcat", 100) ? 3 : hasExactShapes ? 5 : 4
        guard let first = inputs.first, first.rank >= fromEnd else {
            throw failure("its inputs \(inputs.map(\.shape)) have fewer than \(fromEnd) dimensions")
        }
        return try concatenate(inputs, position: first.rank - fromEnd)
    }

    /// `ConcatNDLayerParams`.
    private func concatenate(_ parameters: Parameters, _ inputs: [Blob]) throws(WireFormatError) -> Blob {
        guard let first = inputs.first else { throw failure("it has no input") }
        let position = try axis(parameters.integer("axis", 1), of: first)
        guard try parameters.bool("interleave", 2) else { return try concatenate(inputs, position: position) }
        // To interleave the inputs, they are stacked behind the axis and merged with it.
        guard inputs.allSatisfy({ $0.shape == first.shape }), position > 0 || !first.hasBatch else {
            throw failure("inputs that take turns must have one shape, and turns cannot be taken in the batch")
        }
        let stacked = try stack(inputs, position: position + 1)
        var shape = first.shape
        shape[position] *= inputs.count
        return try reshape(stacked, to: shape)
    }

    private func concatenate(_ inputs: [Blob], position: Int) throws(WireFormatError) -> Blob {
        guard let first = inputs.first else { throw failure("it has no input") }
        var shape = first.shape
        var length = 0
        for input in inputs {
            var other = input.shape
            guard other.count == shape.count else {
                throw failure("its inputs differ in rank: \(inputs.map(\.shape))")
            }
            length += other[position]
            other[position] = shape[position]
            guard other == shape, length <= Self.maximumElements else {
                throw failure("inputs of the shapes \(inputs.map(\.shape)) do not go together at axis \(position)")
            }
        }
        shape[position] = length
        let isBatched = inputs.contains { $0.hasBatch }
        // Constants have one row, so they only fit a batch of one picture.
        if isBatched, position == 0 || !inputs.allSatisfy(\.hasBatch) { fixBatch() }
        return try emit(
            "Concat", inputs, ["axis": .integer(position)], shape: shape, hasBatch: isBatched && position != 0)
    }

    /// `StackLayerParams`: adds a dimension that counts the inputs.
    private func stack(_ parameters: Parameters, _ inputs: [Blob]) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        guard let first = inputs.first, inputs.allSatisfy({ $0.shape == first.shape }) else {
            throw failure("its inputs differ in shape: \(inputs.map(\.shape))")
        }
        let axis = try parameters.integer("axis", 1)
        let position = axis < 0 ? axis + first.rank + 1 : axis
        guard (0...first.rank).contains(position) else {
            throw failure("the axis \(axis) is outside \(first.shape)")
        }
        return try stack(inputs, position: position)
    }

    private func stack(_ inputs: [Blob], position: Int) throws(WireFormatError) -> Blob {
        let expanded = try inputs.map { input throws(WireFormatError) in
            if position == 0, input.hasBatch { fixBatch() }
            var shape = input.shape
            shape.insert(1, at: position)
            return try emit(
                "Unsqueeze", [input, integers([position])], shape: shape, hasBatch: input.hasBatch && position > 0)
        }
        return try concatenate(expanded, position: position)
    }

    /// `SplitLayerParams`: equal parts of the channels.
    private func splitChannels(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> [Blob] {
        guard input.rank >= 3 else { throw failure("its input of the shape \(input.shape) has no channels") }
        return try split(input, position: input.rank - 3, equalParts: parameters.size("nOutputs", 1))
    }

    /// `SplitNDLayerParams`: parts of equal or given sizes.
    private func split(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> [Blob] {
        let position = try axis(parameters.integer("axis", 1), of: input)
        let sizes = try parameters.sizes("splitSizes", 3)
        if sizes.isEmpty { return try split(input, position: position, equalParts: parameters.size("numSplits", 2)) }
        return try split(input, position: position, sizes: sizes)
    }

    private func split(_ input: Blob, position: Int, equalParts: Int) throws(WireFormatError) -> [Blob] {
        // The count must equal the number of outputs: an allocation must not depend on a number in the file alone.
        guard equalParts > 0, equalParts == outputCount, input.shape[position] % equalParts == 0 else {
            throw failure(
                "\(input.shape[position]) elements do not split into \(equalParts) for \(outputCount) outputs")
        }
        let size = input.shape[position] / equalParts
        return try split(input, position: position, sizes: Array(repeating: size, count: equalParts))
    }

    private func split(_ input: Blob, position: Int, sizes: [Int]) throws(WireFormatError) -> [Blob] {
        guard sizes.count == outputCount, sizes.allSatisfy({ $0 > 0 }),
            sizes.reduce(0, +) == input.shape[position]
        else {
            throw failure("\(input.shape[position]) elements do not split into \(sizes) for \(outputCount) outputs")
        }
        if position == 0, input.hasBatch { fixBatch() }
        let names = onnx.node(
            "Split", [input.value, integers(sizes).value],
            outputs: sizes.indices.map { "\(layerName)/Split\($0)" }, attributes: ["axis": .integer(position)])
        return zip(names, sizes).map { name, size in
            var shape = input.shape
            shape[position] = size
            return Blob(value: name, shape: shape, hasBatch: input.hasBatch && position > 0)
        }
    }

    /// `SequenceRepeatLayerParams`: repeats the whole sequence.
    private func repeatSequence(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let count = max(1, try parameters.size("nRepetitions", 1))
        guard !hasExactShapes || input.rank == 5 else {
            throw failure("its input \(input.shape) has no sequence")
        }
        return try tile(input, repeats: [count] + Array(repeating: 1, count: input.rank - 1))
    }

    /// `TileLayerParams`.
    private func tile(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        let repeats = try parameters.sizes("reps", 1)
        guard repeats.count <= input.rank else {
            throw failure("\(repeats) are more than the shape \(input.shape)")
        }
        return try tile(input, repeats: Array(repeating: 1, count: input.rank - repeats.count) + repeats)
    }

    private func tile(_ input: Blob, repeats: [Int]) throws(WireFormatError) -> Blob {
        if repeats.allSatisfy({ $0 == 1 }) { return input }
        let shape = zip(input.shape, repeats).map { $0 * $1 }
        if repeats[0] > 1, input.hasBatch { fixBatch() }
        return try emit("Tile", [input, integers(repeats)], shape: shape, hasBatch: input.hasBatch && repeats[0] == 1)
    }
}
