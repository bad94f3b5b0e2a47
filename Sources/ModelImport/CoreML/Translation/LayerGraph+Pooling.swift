/// Pooling: the maximum or the mean of windows.
extension LayerGraph {
    static let poolingHandlers: [CoreMLLayerType: Handler] = [
        .pooling: { [try $0.pooling($1, $0.one($2))] }
    ]

    private enum Pooling: Int {
        case maximum, average, euclidean
    }

    /// `PoolingLayerParams`: (N, C, H, W) → (N, C, H_out, W_out).
    private func pooling(_ parameters: Parameters, _ original: Blob) throws(WireFormatError) -> Blob {
        let number = try parameters.integer("type", 1)
        guard let kind = Pooling(rawValue: number) else {
            throw failure("its pooling type is unknown: \(number)")
        }
        let input = try asPictures(original)
        let result =
            if try parameters.bool("globalPooling", 60) {
                try globalPooling(kind, input)
            } else {
                try windowPooling(parameters, kind, input)
            }
        return try restoringRank(of: original, result)
    }

    private func globalPooling(_ kind: Pooling, _ input: Blob) throws(WireFormatError) -> Blob {
        let shape = [input.shape[0], input.shape[1], 1, 1]
        let operation =
            switch kind {
            case .maximum: "GlobalMaxPool"
            case .average: "GlobalAveragePool"
            case .euclidean: "ReduceL2"
            }
        let attributes: [String: ONNXAttribute] =
            kind == .euclidean ? ["axes": .integers([2, 3]), "keepdims": .integer(1)] : [:]
        return try emit(operation, [input], attributes, shape: shape, hasBatch: input.hasBatch)
    }

    private func windowPooling(
        _ parameters: Parameters, _ kind: Pooling, _ original: Blob
    ) throws(WireFormatError) -> Blob {
        let size = try pair(parameters, "kernelSize", 10, otherwise: 3)
        let stride = try pair(parameters, "stride", 20, otherwise: 1)
        let window = CoreMLWindow(height: size.height, width: size.width, stride: stride)
        var countsPadding = try !parameters.bool("avgPoolExcludePadding", 50) || kind == .euclidean
        var input = original
        var padding: CoreMLBorders
        if let complete = try parameters.message("includeLastPixel", 32) {
            padding = try completePadding(complete, window, input)
            if kind == .average, countsPadding {
                // The mean counts the declared padding, but not what is added for the last window.
                let declared = try declaredPadding(complete)
                input = try pad(input, declared)
                padding = CoreMLBorders(bottom: padding.bottom - declared.bottom, right: padding.right - declared.right)
                countsPadding = false
            }
        } else {
            padding = try spatialPadding(
                parameters, valid: 30, same: 31, window, height: input.shape[2], width: input.shape[3])
        }
        let output = try outputSize(window, padding, height: input.shape[2], width: input.shape[3])
        // Engines demand a padding smaller than the window.
        if max(padding.top, padding.bottom) >= size.height || max(padding.left, padding.right) >= size.width {
            guard kind != .maximum, countsPadding else {
                throw failure("its padding is as large as its window: \(padding.pads)")
            }
            input = try pad(input, padding)
            padding = CoreMLBorders()
        }

        var attributes: [String: ONNXAttribute] = [
            "kernel_shape": .integers([size.height, size.width]),
            "strides": .integers([stride.height, stride.width]),
            "pads": .integers(padding.pads),
        ]
        if kind != .maximum { attributes["count_include_pad"] = .integer(countsPadding ? 1 : 0) }
        if kind == .euclidean { input = try binary("Mul", input, input) }
        let pooled = try emit(
            kind == .maximum ? "MaxPool" : "AveragePool", [input], attributes,
            shape: [input.shape[0], input.shape[1], output.height, output.width], hasBatch: input.hasBatch)
        guard kind == .euclidean else { return pooled }
        // √Σx² is computed from the mean of the squares.
        let sum = try binary("Mul", pooled, scalar(Float(size.height * size.width)))
        return try emit("Sqrt", sum)
    }

    private func declaredPadding(_ message: ProtocolBufferMessage) throws(WireFormatError) -> CoreMLBorders {
        let amounts = try message.sizes("paddingAmounts", 10)
        guard amounts.isEmpty || amounts.count == 2 else {
            throw failure("it has \(amounts.count) padding amounts instead of two")
        }
        let (height, width) = amounts.isEmpty ? (0, 0) : (amounts[0], amounts[1])
        return CoreMLBorders(top: height, bottom: height, left: width, right: width)
    }

    /// `ValidCompletePadding`: the declared padding on all sides, and at the end the pixels that the last window lacks.
    private func completePadding(
        _ message: ProtocolBufferMessage, _ window: CoreMLWindow, _ input: Blob
    ) throws(WireFormatError) -> CoreMLBorders {
        var padding = try declaredPadding(message)
        let isPadded = padding.top > 0 || padding.left > 0
        padding.bottom = try completeEnd(
            input.shape[2], padding.top, window: window.height, stride: window.stride.height, isPadded: isPadded)
        padding.right = try completeEnd(
            input.shape[3], padding.left, window: window.width, stride: window.stride.width, isPadded: isPadded)
        return padding
    }

    private func completeEnd(
        _ length: Int, _ padding: Int, window: Int, stride: Int, isPadded: Bool
    ) throws(WireFormatError) -> Int {
        let rest = length + 2 * padding - window
        guard rest >= 0 else {
            throw failure("its window of \(window) is larger than its padded input of \(length)")
        }
        var count = (rest + stride - 1) / stride + 1
        if isPadded, (count - 1) * stride >= length + padding { count -= 1 }
        guard (count - 1) * stride < length + padding else {
            throw failure("its last window lies outside its input")
        }
        return max(padding, (count - 1) * stride + window - length - padding)
    }
}
