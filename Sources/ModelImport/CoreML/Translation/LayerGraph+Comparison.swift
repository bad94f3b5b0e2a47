/// Comparisons and logic. Their results are 1 for true and 0 for false.
extension LayerGraph {
    static let comparisonHandlers: [CoreMLLayerType: Handler] = [
        .equal: { [try $0.compare("Equal", $2, $1.float("alpha", 1))] },
        .notEqual: { [try $0.logicalNot($0.compare("Equal", $2, $1.float("alpha", 1)))] },
        .lessThan: { [try $0.compare("Less", $2, $1.float("alpha", 2))] },
        .lessEqual: { [try $0.compare("LessOrEqual", $2, $1.float("alpha", 2))] },
        .greaterThan: { [try $0.compare("Greater", $2, $1.float("alpha", 2))] },
        .greaterEqual: { [try $0.compare("GreaterOrEqual", $2, $1.float("alpha", 2))] },
        .logicalAnd: { [try $0.logical("And", $0.two($2))] },
        .logicalOr: { [try $0.logical("Or", $0.two($2))] },
        .logicalXor: { [try $0.logical("Xor", $0.two($2))] },
        .logicalNot: { [try $0.logicalNot($0.one($2))] },
        .whereBroadcastable: { [try $0.choose($2)] },
    ]

    /// Compares two inputs, or one input with a number.
    private func compare(_ operation: String, _ inputs: [Blob], _ alpha: Float) throws(WireFormatError) -> Blob {
        guard let left = inputs.first, inputs.count <= 2 else {
            throw failure("it has \(inputs.count) inputs instead of 1 or 2")
        }
        return try number(binary(operation, left, inputs.count == 2 ? inputs[1] : scalar(alpha)))
    }

    private func logical(_ operation: String, _ inputs: (Blob, Blob)) throws(WireFormatError) -> Blob {
        try number(binary(operation, truth(inputs.0), truth(inputs.1)))
    }

    private func logicalNot(_ input: Blob) throws(WireFormatError) -> Blob {
        try number(emit("Not", truth(input)))
    }

    /// Selects from the second input where the first is not 0, and from the third elsewhere.
    private func choose(_ inputs: [Blob]) throws(WireFormatError) -> Blob {
        guard inputs.count == 3 else { throw failure("it has \(inputs.count) inputs instead of 3") }
        let (shape, hasBatch) = try broadcast(inputs)
        return try emit("Where", [truth(inputs[0])] + inputs[1...], shape: shape, hasBatch: hasBatch)
    }

    private func truth(_ input: Blob) throws(WireFormatError) -> Blob {
        try emit("Cast", input, [], ["to": .integer(ONNXTensor.ElementType.bool.rawValue)])
    }

    /// Converts booleans or integers to floats, the only numbers of Core ML.
    func number(_ input: Blob) throws(WireFormatError) -> Blob {
        try emit("Cast", input, [], ["to": .integer(ONNXTensor.ElementType.float.rawValue)])
    }
}
