/// Reductions of many numbers to one along axes.
extension LayerGraph {
    static let reductionHandlers = overAnyAxes.reduce(into: others) { handlers, type in
        handlers[type] = { [try $0.reduceAxes(type.onnxName, $1, $0.one($2))] }
    }

    private static let overAnyAxes: [CoreMLLayerType] = [
        .reduceL1, .reduceL2, .reduceMax, .reduceMin, .reduceSum, .reduceProd, .reduceMean, .reduceLogSum,
        .reduceSumSquare, .reduceLogSumExp,
    ]

    private static let others: [CoreMLLayerType: Handler] = [
        .reduce: { [try $0.reduce($1, $0.one($2))] },
        .argMax: { [try $0.extremeIndex("ArgMax", $1, $0.one($2))] },
        .argMin: { [try $0.extremeIndex("ArgMin", $1, $0.one($2))] },
        .topK: { try $0.largest($1, $0.one($2)) },
    ]

    /// Reduces axes to length 1. They are counted from the end, such as −1 for W.
    func reduce(_ operation: String, _ input: Blob, axesFromEnd axes: [Int]) throws(WireFormatError) -> Blob {
        guard let first = axes.min(), -first <= input.rank else {
            throw failure("its input of the shape \(input.shape) has no axis \(axes.min() ?? 0)")
        }
        return try reduce(operation, input, positions: axes.map { input.rank + $0 }, keepsDimensions: true)
    }

    private func reduce(
        _ operation: String, _ input: Blob, positions: [Int], keepsDimensions: Bool
    ) throws(WireFormatError) -> Blob {
        if positions.contains(0), input.hasBatch { fixBatch() }
        var shape: [Int] = []
        for (position, dimension) in input.shape.enumerated() {
            if !positions.contains(position) {
                shape.append(dimension)
            } else if keepsDimensions {
                shape.append(1)
            }
        }
        let hasBatch = input.hasBatch && !positions.contains(0)
        let keeps = ONNXAttribute.integer(keepsDimensions ? 1 : 0)
        if let composed = try composedReduction(operation, input, positions: positions) {
            return try reshape(composed, to: shape)
        }
        // In operator set 17, `ReduceSum` takes its axes as an input. The other reductions take an attribute.
        if operation == "ReduceSum" {
            return try emit(
                operation, [input, integers(positions)], ["keepdims": keeps], shape: shape, hasBatch: hasBatch)
        }
        return try emit(
            operation, [input], ["axes": .integers(positions), "keepdims": keeps], shape: shape, hasBatch: hasBatch)
    }

    /// Builds reductions from others where OpenVINO 2026.4 ignores the axes and reduces all. Nil for the rest. The
    /// reduced dimensions become 1.
    private func composedReduction(
        _ operation: String, _ input: Blob, positions: [Int]
    ) throws(WireFormatError) -> Blob? {
        func sum(_ blob: Blob) throws(WireFormatError) -> Blob {
            try reduce("ReduceSum", blob, positions: positions, keepsDimensions: true)
        }
        switch operation {
        case "ReduceL1":
            return try sum(emit("Abs", input))
        case "ReduceLogSum":
            return try emit("Log", sum(input))
        case "ReduceLogSumExp":
            // The maximum is subtracted first, so that no exponential overflows.
            let largest = try reduce("ReduceMax", input, positions: positions, keepsDimensions: true)
            let exponentials = try emit("Exp", binary("Sub", input, largest))
            return try binary("Add", emit("Log", sum(exponentials)), largest)
        default:
            return nil
        }
    }

    /// `ReduceLayerParams`: ten operations over C, H, W or several of them. The reduced dimensions become 1.
    private func reduce(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let choices = [[-3, -2, -1], [-2, -1], [-3], [-2], [-1]]
        let choice = try parameters.integer("axis", 3)
        guard choices.indices.contains(choice) else { throw failure("its axis is unknown: \(choice)") }
        let axes = choices[choice]
        let mode = try parameters.integer("mode", 1)
        switch mode {
        case 3:
            let shifted = try linear(input, scale: 1, shift: epsilon(parameters, 2, otherwise: 1e-6))
            return try reduce("ReduceSum", emit("Log", shifted), axesFromEnd: axes)
        case 9:
            guard axes.count == 1, -axes[0] <= input.rank else {
                throw failure("argMax takes one axis, not \(axes)")
            }
            return try extremeIndex("ArgMax", input, position: input.rank + axes[0], keepsDimension: true)
        default:
            let operations = [
                0: "ReduceSum", 1: "ReduceMean", 2: "ReduceProd", 4: "ReduceSumSquare", 5: "ReduceL1", 6: "ReduceL2",
                7: "ReduceMax", 8: "ReduceMin",
            ]
            guard let operation = operations[mode] else { throw failure("its mode is unknown: \(mode)") }
            return try reduce(operation, input, axesFromEnd: axes)
        }
    }

    /// The reductions of specification 4, over any axes. The reduced dimensions become 1 or are dropped.
    private func reduceAxes(
        _ operation: String, _ parameters: Parameters, _ input: Blob
    ) throws(WireFormatError) -> Blob {
        let keeps = try parameters.bool("keepDims", 2)
        if !keeps { try requireExactShapes() }
        let positions =
            try parameters.bool("reduceAll", 3)
            ? Array(input.shape.indices)
            : parameters.integers("axes", 1).map { axis throws(WireFormatError) in try self.axis(axis, of: input) }
        guard !positions.isEmpty, Set(positions).count == positions.count else {
            throw failure("its axes \(positions) are none, or twice the same")
        }
        let result = try reduce(operation, input, positions: positions.sorted(), keepsDimensions: keeps)
        // Core ML has no rank below 1.
        return result.rank == 0 ? try reshape(result, to: [1]) : result
    }

    private func extremeIndex(
        _ operation: String, _ parameters: Parameters, _ input: Blob
    ) throws(WireFormatError) -> Blob {
        let keeps = try !parameters.bool("removeDim", 2) || input.rank == 1
        if !keeps { try requireExactShapes() }
        let position = try axis(parameters.integer("axis", 1), of: input)
        return try extremeIndex(operation, input, position: position, keepsDimension: keeps)
    }

    private func extremeIndex(
        _ operation: String, _ input: Blob, position: Int, keepsDimension: Bool
    ) throws(WireFormatError) -> Blob {
        if position == 0, input.hasBatch { fixBatch() }
        var shape = input.shape
        if keepsDimension { shape[position] = 1 } else { shape.remove(at: position) }
        let index = try emit(
            operation, [input], ["axis": .integer(position), "keepdims": .integer(keepsDimension ? 1 : 0)],
            shape: shape, hasBatch: input.hasBatch && position > 0)
        return try number(index)
    }

    /// `TopKLayerParams`: the K largest or smallest and their indices along an axis.
    private func largest(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> [Blob] {
        let position = try axis(parameters.integer("axis", 1), of: input)
        let count = try parameters.size("K", 2)
        var shape = input.shape
        guard (1...shape[position]).contains(count) else {
            throw failure("it wants \(count) of \(shape[position]) elements")
        }
        shape[position] = count
        try check(shape)
        let names = onnx.node(
            "TopK", [input.value, integers([count]).value],
            outputs: ["\(layerName)/values", "\(layerName)/indices"],
            attributes: [
                "axis": .integer(position), "largest": .integer(try parameters.bool("useBottomK", 3) ? 0 : 1),
            ])
        let values = Blob(value: names[0], shape: shape, hasBatch: input.hasBatch)
        let indices = Blob(value: names[1], shape: shape, hasBatch: input.hasBatch)
        return [values, try number(indices)]
    }
}
