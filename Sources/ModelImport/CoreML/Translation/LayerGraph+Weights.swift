extension LayerGraph {
    /// The fewest float16 weights that keep that type in the ONNX file, which halves their size. Fewer are widened.
    private static let keptHalfCount = 1024

    /// The weights of a field as a constant.
    ///
    /// - Parameters:
    ///   - shape: the shape in the file, row-major, and of the constant.
    ///   - channelAxis: the axis of `shape` that counts output channels.
    func weights(
        _ parameters: Parameters, _ name: String, _ number: Int, shape: [Int], channelAxis: Int = 0
    ) throws(WireFormatError) -> Blob {
        try check(shape)
        guard let message = try parameters.message(name, number) else { throw failure("its \(name) are missing") }
        let weights = try CoreMLWeights(message)
        let count = try weights.checkedCount(shape)
        switch weights.storage {
        case .float32:
            return constant(ONNXTensor(elementType: .float, shape: shape, data: weights.rawBytes))
        case .float16 where count >= Self.keptHalfCount:
            let half = constant(ONNXTensor(elementType: .float16, shape: shape, data: weights.rawBytes))
            let type = ONNXTensor.ElementType.float.rawValue
            return try emit("Cast", half, [], ["to": .integer(type)])
        default:
            return constant(ONNXTensor(try weights.floats(shape: shape, channelAxis: channelAxis), shape: shape))
        }
    }

    /// The weights of a field as numbers. If the field is absent or empty, every number is `otherwise`; nil throws.
    func values(
        _ parameters: Parameters, _ name: String, _ number: Int, count: Int, otherwise: Float? = nil
    ) throws(WireFormatError) -> [Float] {
        try check([count])
        guard let message = try parameters.message(name, number) else {
            guard let otherwise else { throw failure("its \(name) is missing") }
            return Array(repeating: otherwise, count: count)
        }
        let weights = try CoreMLWeights(message)
        if let otherwise, weights.count == 0 { return Array(repeating: otherwise, count: count) }
        _ = try weights.checkedCount([count])
        return try weights.floats(shape: [count], channelAxis: 0)
    }

    /// The number of weights in a field.
    func weightCount(_ parameters: Parameters, _ name: String, _ number: Int) throws(WireFormatError) -> Int {
        guard let message = try parameters.message(name, number) else { return 0 }
        return try CoreMLWeights(message).count
    }

    /// Two sizes (H, W), or `otherwise` for both if the file has none.
    func pair(
        _ parameters: Parameters, _ name: String, _ number: Int, otherwise: Int
    ) throws(WireFormatError) -> (height: Int, width: Int) {
        let sizes = try parameters.sizes(name, number)
        if sizes.isEmpty { return (otherwise, otherwise) }
        guard sizes.count == 2, sizes[0] > 0, sizes[1] > 0 else {
            throw failure("its \(name) is \(sizes) instead of two positive sizes")
        }
        return (sizes[0], sizes[1])
    }

    /// The four edges of a `BorderAmounts` message. All are 0 if it is empty.
    func borders(_ message: ProtocolBufferMessage?) throws(WireFormatError) -> CoreMLBorders {
        let edges = try message?.messages("borderAmounts", 10) ?? []
        if edges.isEmpty { return CoreMLBorders() }
        guard edges.count == 2 else {
            throw failure("it has \(edges.count) border amounts instead of two, for height and width")
        }
        return CoreMLBorders(
            top: try edges[0].size("startEdgeSize", 1), bottom: try edges[0].size("endEdgeSize", 2),
            left: try edges[1].size("startEdgeSize", 1), right: try edges[1].size("endEdgeSize", 2))
    }
}

/// Pixels added to, or cut from, a picture's edges.
struct CoreMLBorders: Equatable {
    var top = 0
    var bottom = 0
    var left = 0
    var right = 0

    /// The form of ONNX's `pads` for two spatial dimensions: both starts, then both ends.
    var pads: [Int] { [top, left, bottom, right] }
}
