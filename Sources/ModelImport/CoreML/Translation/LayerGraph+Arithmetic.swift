/// Sums, products and similar operations on several inputs, or on one input and numbers of the file.
extension LayerGraph {
    static let arithmeticHandlers: [CoreMLLayerType: Handler] = [
        .add: { [try $0.fold("Add", $2, alpha: $1.float("alpha", 1))] },
        .multiply: { [try $0.fold("Mul", $2, alpha: $1.float("alpha", 1))] },
        .average: { [try $0.average($2)] },
        .max: { [try $0.fold("Max", $2, alpha: nil)] },
        .min: { [try $0.fold("Min", $2, alpha: nil)] },
        .bias: { [try $0.shapedAdd($1, $0.one($2))] },
        .scale: { [try $0.shapedScale($1, $0.one($2))] },
        .dot: { [try $0.dotProduct($1, $0.two($2))] },
        .addBroadcastable: { [try $0.fold("Add", $2, alpha: nil)] },
        .multiplyBroadcastable: { [try $0.fold("Mul", $2, alpha: nil)] },
        .subtractBroadcastable: { [try $0.pairwise("Sub", $2)] },
        .divideBroadcastable: { [try $0.pairwise("Div", $2)] },
        .powBroadcastable: { [try $0.pairwise("Pow", $2)] },
        .maxBroadcastable: { [try $0.fold("Max", $2, alpha: nil)] },
        .minBroadcastable: { [try $0.fold("Min", $2, alpha: nil)] },
        .floorDivBroadcastable: { [try $0.floorDivision($2)] },
        .modBroadcastable: { [try $0.modulo($2)] },
    ]

    /// Combines all inputs. A single input is combined with the scalar instead.
    private func fold(_ operation: String, _ inputs: [Blob], alpha: Float?) throws(WireFormatError) -> Blob {
        guard var result = inputs.first else { throw failure("it has no input") }
        if inputs.count == 1 {
            guard let alpha else { throw failure("it has one input instead of several") }
            return try binary(operation, result, scalar(alpha))
        }
        for input in inputs.dropFirst() { result = try binary(operation, result, input) }
        return result
    }

    private func pairwise(_ operation: String, _ inputs: [Blob]) throws(WireFormatError) -> Blob {
        let (left, right) = try two(inputs)
        return try binary(operation, left, right)
    }

    private func average(_ inputs: [Blob]) throws(WireFormatError) -> Blob {
        let sum = inputs.count == 1 ? inputs[0] : try fold("Add", inputs, alpha: nil)
        return try binary("Div", sum, scalar(Float(inputs.count)))
    }

    /// ⌊x / y⌋.
    private func floorDivision(_ inputs: [Blob]) throws(WireFormatError) -> Blob {
        try emit("Floor", pairwise("Div", inputs))
    }

    /// x − y ⌊x / y⌋, with the divisor's sign, as in Python.
    private func modulo(_ inputs: [Blob]) throws(WireFormatError) -> Blob {
        let (left, right) = try two(inputs)
        return try binary("Sub", left, binary("Mul", right, floorDivision(inputs)))
    }

    /// `BiasLayerParams`.
    private func shapedAdd(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let bias = try shapedConstant(parameters, "bias", 2, shape: parameters.sizes("shape", 1), of: input)
        return try binary("Add", input, bias)
    }

    /// `ScaleLayerParams`.
    private func shapedScale(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let scale = try shapedConstant(parameters, "scale", 2, shape: parameters.sizes("shapeScale", 1), of: input)
        let scaled = try binary("Mul", input, scale)
        guard try parameters.bool("hasBias", 3) else { return scaled }
        let bias = try shapedConstant(parameters, "bias", 5, shape: parameters.sizes("shapeBias", 4), of: input)
        return try binary("Add", scaled, bias)
    }

    /// Numbers of the shape (1), (C), (1, H, W) or (C, H, W), reshaped to broadcast over (…, C, H, W).
    private func shapedConstant(
        _ parameters: Parameters, _ name: String, _ number: Int, shape: [Int], of input: Blob
    ) throws(WireFormatError) -> Blob {
        guard (1...4).contains(shape.count) else { throw failure("its \(name) has the shape \(shape)") }
        let aligned = shape.count == 1 && shape[0] > 1 ? [shape[0], 1, 1] : shape
        try check(aligned)
        let numbers = try values(parameters, name, number, count: shape.reduce(1, *))
        let blob = constant(ONNXTensor(numbers, shape: aligned))
        guard try broadcast([input, blob]).shape == input.shape else {
            throw failure("its \(name) of the shape \(shape) is larger than its input, \(input.shape)")
        }
        return blob
    }

    /// `DotProductLayerParams`: Σ x₁x₂ over the channels. For the cosine, both vectors are first scaled to length 1.
    private func dotProduct(_ parameters: Parameters, _ inputs: (Blob, Blob)) throws(WireFormatError) -> Blob {
        var (left, right) = inputs
        if try parameters.bool("cosineSimilarity", 1) {
            left = try dividedByLength(left, axesFromEnd: [-3], epsilon: 1e-12)
            right = try dividedByLength(right, axesFromEnd: [-3], epsilon: 1e-12)
        }
        return try reduce("ReduceSum", binary("Mul", left, right), axesFromEnd: [-3])
    }
}
