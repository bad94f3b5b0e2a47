/// Layers that take parts of a value.
extension LayerGraph {
    static let slicingHandlers: [CoreMLLayerType: Handler] = [
        .slice: { [try $0.slice($1, $0.one($2))] },
        .sliceStatic: { [try $0.sliceStatic($1, $0.one($2))] },
        .reverse: { [try $0.reverse($1, $0.one($2))] },
        .gather: { [try $0.gather($1, $0.two($2))] },
    ]

    /// `SliceLayerParams`: part of the channels, rows or columns.
    private func slice(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let axis = try parameters.integer("axis", 4)
        guard (0...2).contains(axis), input.rank >= 3 - axis else {
            throw failure("the axis \(axis) of its input \(input.shape) is unknown")
        }
        let step = try parameters.size("stride", 3)
        return try slice(
            input, starts: [try parameters.integer("startIndex", 1)], ends: [try parameters.integer("endIndex", 2)],
            positions: [input.rank - 3 + axis], steps: [max(1, step)])
    }

    /// Takes elements from `starts` to before `ends`. Negative positions count from the end, as in Python.
    func slice(
        _ input: Blob, starts: [Int], ends: [Int], positions: [Int], steps: [Int]
    ) throws(WireFormatError) -> Blob {
        var shape = input.shape
        var (firsts, lasts, axes, strides): ([Int], [Int], [Int], [Int]) = ([], [], [], [])
        for (index, position) in positions.enumerated() {
            let length = shape[position]
            let step = steps[index]
            guard step != 0, (-Self.maximumElements...Self.maximumElements).contains(step) else {
                throw failure("its step is \(step)")
            }
            // A backward slice ends before the first element. No negative position expresses that place.
            let lower = step > 0 ? 0 : -1
            let upper = step > 0 ? length : length - 1
            let start = Self.clamp(starts[index], length, lower, upper)
            let end = Self.clamp(ends[index], length, lower, upper)
            let span = step > 0 ? end - start : start - end
            guard span > 0 else {
                throw failure("it takes nothing of \(length) elements: \(starts[index])..<\(ends[index]) by \(step)")
            }
            shape[position] = (span - 1) / abs(step) + 1
            // A slice of the whole dimension changes nothing, even if the dimension is the batch.
            if span == length, step == 1 { continue }
            if position == 0, input.hasBatch { fixBatch() }
            firsts.append(start)
            lasts.append(end < 0 ? -length - 1 : end)
            axes.append(position)
            strides.append(step)
        }
        if axes.isEmpty { return input }
        let operands = [
            input, integers(firsts), integers(lasts), integers(axes), integers(strides),
        ]
        return try emit("Slice", operands, shape: shape, hasBatch: input.hasBatch)
    }

    private static func clamp(_ index: Int, _ length: Int, _ lower: Int, _ upper: Int) -> Int {
        // The index is kept far from the ends of Int, so that adding the length cannot overflow.
        let bounded = min(max(index, -Self.maximumElements - 1), Self.maximumElements)
        return min(max(bounded < 0 ? bounded + length : bounded, lower), upper)
    }

    /// `SliceStaticLayerParams`: begin, end and step for each dimension. Masks select the ends or a single element.
    private func sliceStatic(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        let begins = try parameters.integers("beginIds", 1)
        let ends = try parameters.integers("endIds", 3)
        let steps = try parameters.integers("strides", 5)
        let beginMasks = try mask(parameters, "beginMasks", 2, input.rank)
        let endMasks = try mask(parameters, "endMasks", 4, input.rank)
        let squeezeMasks = try mask(parameters, "squeezeMasks", 6, input.rank)
        guard begins.count == input.rank, ends.count == input.rank, steps.count == input.rank else {
            throw failure("its lists do not have one element for each dimension of \(input.shape)")
        }
        let far = Self.maximumElements
        var (starts, stops, strides) = (begins, ends, steps)
        for position in input.shape.indices {
            let isBackwards = steps[position] < 0
            if squeezeMasks[position] {
                let length = input.shape[position]
                let begin = begins[position] < 0 ? begins[position] &+ length : begins[position]
                guard (0..<length).contains(begin) else {
                    throw failure("the element \(begins[position]) is outside \(input.shape)")
                }
                (starts[position], stops[position], strides[position]) = (begin, begin + 1, 1)
                continue
            }
            if beginMasks[position] { starts[position] = isBackwards ? far : 0 }
            if endMasks[position] { stops[position] = isBackwards ? -far - 1 : far }
        }
        let sliced = try slice(
            input, starts: starts, ends: stops, positions: Array(input.shape.indices), steps: strides)
        guard squeezeMasks.contains(true) else { return sliced }
        let kept = sliced.shape.indices.filter { !squeezeMasks[$0] }.map { sliced.shape[$0] }
        return try reshape(sliced, to: kept.isEmpty ? [1] : kept, keepsFirst: !squeezeMasks[0])
    }

    private func mask(
        _ parameters: Parameters, _ name: String, _ number: Int, _ rank: Int
    ) throws(WireFormatError) -> [Bool] {
        let values = try parameters.integers(name, number)
        if values.isEmpty { return Array(repeating: false, count: rank) }
        guard values.count == rank else {
            throw failure("its \(name) has \(values.count) elements instead of \(rank)")
        }
        return values.map { $0 != 0 }
    }

    /// `ReverseLayerParams`: reverses the marked dimensions.
    private func reverse(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        let marks = try mask(parameters, "reverseDim", 1, input.rank)
        let positions = input.shape.indices.filter { marks[$0] }
        if positions.isEmpty { return input }
        let far = Self.maximumElements
        return try slice(
            input, starts: positions.map { _ in far }, ends: positions.map { _ in -far - 1 }, positions: positions,
            steps: positions.map { _ in -1 })
    }

    /// `GatherLayerParams`: takes elements along an axis at the indices in the second input.
    private func gather(_ parameters: Parameters, _ inputs: (Blob, Blob)) throws(WireFormatError) -> Blob {
        try requireExactShapes()
        let (data, indices) = inputs
        let position = try axis(parameters.integer("axis", 1), of: data)
        if indices.hasBatch { fixBatch() }
        let whole = try emit("Cast", indices, [], ["to": .integer(ONNXTensor.ElementType.int64.rawValue)])
        return try emit(
            "Gather", [data, whole], ["axis": .integer(position)],
            shape: data.shape[..<position] + indices.shape + data.shape[(position + 1)...],
            hasBatch: data.hasBatch && position > 0)
    }
}
