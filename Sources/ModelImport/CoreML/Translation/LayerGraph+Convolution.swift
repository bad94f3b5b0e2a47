/// Convolutions, deconvolutions, and the product with a matrix of weights.
extension LayerGraph {
    static let convolutionHandlers: [CoreMLLayerType: Handler] = [
        .convolution: { [try $0.convolution($1, $2)] },
        .innerProduct: { [try $0.innerProduct($1, $0.one($2))] },
    ]

    /// The parameters that convolution and deconvolution share.
    private struct Kernel {
        let outputChannels: Int
        let kernelChannels: Int
        let groups: Int
        let size: (height: Int, width: Int)
        let stride: (height: Int, width: Int)
    }

    /// `ConvolutionLayerParams`: (N, C, H, W) → (N, C_out, H_out, W_out).
    private func convolution(_ parameters: Parameters, _ inputs: [Blob]) throws(WireFormatError) -> Blob {
        guard let original = inputs.first, inputs.count <= 2 else {
            throw failure("it has \(inputs.count) inputs instead of 1, or 2 with weights")
        }
        let kernel = Kernel(
            outputChannels: try parameters.size("outputChannels", 1),
            kernelChannels: try parameters.size("kernelChannels", 2),
            groups: max(1, try parameters.size("nGroups", 10)),
            size: try pair(parameters, "kernelSize", 20, otherwise: 3),
            stride: try pair(parameters, "stride", 30, otherwise: 1))
        guard kernel.outputChannels > 0, kernel.outputChannels % kernel.groups == 0 else {
            throw failure("its \(kernel.outputChannels) output channels do not divide into \(kernel.groups) groups")
        }
        let input = try asPictures(original)
        var operands = [input]
        let result: Blob
        if try parameters.bool("isDeconvolution", 60) {
            result = try deconvolution(parameters, kernel, &operands)
        } else {
            result = try convolution(parameters, kernel, &operands, dynamicWeights: inputs.dropFirst().first)
        }
        return try restoringRank(of: original, result)
    }

    private func convolution(
        _ parameters: Parameters, _ kernel: Kernel, _ operands: inout [Blob],
        dynamicWeights: Blob?
    ) throws(WireFormatError) -> Blob {
        let shape = operands[0].shape
        let weightShape = [kernel.outputChannels, kernel.kernelChannels, kernel.size.height, kernel.size.width]
        guard kernel.kernelChannels <= shape[1], kernel.kernelChannels * kernel.groups == shape[1] else {
            throw failure(
                "its kernels have \(kernel.kernelChannels) channels in \(kernel.groups) groups, its input \(shape[1])")
        }
        if let dynamicWeights {
            guard dynamicWeights.shape == weightShape else {
                throw failure("weights of the shape \(dynamicWeights.shape) where \(weightShape) is needed")
            }
            if dynamicWeights.hasBatch { fixBatch() }
            operands.append(dynamicWeights)
        } else {
            operands.append(try weights(parameters, "weights", 90, shape: weightShape))
        }
        try appendBias(parameters, kernel, &operands)

        let dilation = try pair(parameters, "dilationFactor", 40, otherwise: 1)
        let window = CoreMLWindow(
            height: (kernel.size.height - 1) * dilation.height + 1, width: (kernel.size.width - 1) * dilation.width + 1,
            stride: kernel.stride)
        let padding = try spatialPadding(parameters, valid: 50, same: 51, window, height: shape[2], width: shape[3])
        let size = try outputSize(window, padding, height: shape[2], width: shape[3])
        return try emit(
            "Conv", operands,
            [
                "kernel_shape": .integers([kernel.size.height, kernel.size.width]),
                "strides": .integers([kernel.stride.height, kernel.stride.width]),
                "dilations": .integers([dilation.height, dilation.width]),
                "group": .integer(kernel.groups),
                "pads": .integers(padding.pads),
            ],
            shape: [shape[0], kernel.outputChannels, size.height, size.width], hasBatch: operands[0].hasBatch)
    }

    private func deconvolution(
        _ parameters: Parameters, _ kernel: Kernel, _ operands: inout [Blob]
    ) throws(WireFormatError) -> Blob {
        let shape = operands[0].shape
        guard kernel.kernelChannels == shape[1], shape[1] % kernel.groups == 0 else {
            throw failure(
                "its kernels have \(kernel.kernelChannels) channels in \(kernel.groups) groups, its input \(shape[1])")
        }
        let weightShape = [
            kernel.kernelChannels, kernel.outputChannels / kernel.groups, kernel.size.height, kernel.size.width,
        ]
        operands.append(try weights(parameters, "weights", 90, shape: weightShape, channelAxis: 1))
        try appendBias(parameters, kernel, &operands)

        let full = (
            height: (shape[2] - 1) * kernel.stride.height + kernel.size.height,
            width: (shape[3] - 1) * kernel.stride.width + kernel.size.width
        )
        let same = try parameters.message("same", 51)
        let isTopLeftHeavy = try same?.integer("asymmetryMode", 1) == 1
        let wished = try parameters.sizes("outputShape", 100)
        var size = full
        var cut = CoreMLBorders()
        if wished.count == 2 || same != nil {
            size =
                wished.count == 2
                ? (wished[0], wished[1]) : (shape[2] * kernel.stride.height, shape[3] * kernel.stride.width)
            (cut.top, cut.bottom) = Self.halves(full.height - size.height, startIsLarger: isTopLeftHeavy)
            (cut.left, cut.right) = Self.halves(full.width - size.width, startIsLarger: isTopLeftHeavy)
        } else {
            cut = try borders(parameters.message("valid", 50)?.message("paddingAmounts", 1))
            size = (full.height - cut.top - cut.bottom, full.width - cut.left - cut.right)
        }
        // Pixels that no kernel reaches are zero. ONNX allows fewer than a stride of this output padding.
        let missing = [max(0, -cut.top - cut.bottom), max(0, -cut.left - cut.right)]
        guard missing[0] < kernel.stride.height, missing[1] < kernel.stride.width else {
            throw failure("its output of \(size) is larger than its kernels reach, \(full)")
        }
        return try emit(
            "ConvTranspose", operands,
            [
                "kernel_shape": .integers([kernel.size.height, kernel.size.width]),
                "strides": .integers([kernel.stride.height, kernel.stride.width]),
                "group": .integer(kernel.groups),
                "pads": .integers(cut.pads.map { max(0, $0) }),
                "output_padding": .integers(missing),
            ],
            shape: [shape[0], kernel.outputChannels, size.height, size.width], hasBatch: operands[0].hasBatch)
    }

    private func appendBias(
        _ parameters: Parameters, _ kernel: Kernel, _ operands: inout [Blob]
    ) throws(WireFormatError) {
        guard try parameters.bool("hasBias", 70) else { return }
        let bias = try values(parameters, "bias", 91, count: kernel.outputChannels)
        operands.append(constant(ONNXTensor(bias, shape: [bias.count])))
    }

    /// `InnerProductLayerParams`: a matrix times the last dimension, or for pictures times all of C, H and W.
    private func innerProduct(_ parameters: Parameters, _ input: Blob) throws(WireFormatError) -> Blob {
        let inputChannels = try parameters.size("inputChannels", 1)
        let outputChannels = try parameters.size("outputChannels", 2)
        let isPicture = input.rank >= 4
        let leading = isPicture ? Array(input.shape.dropLast(3)) : Array(input.shape.dropLast())
        let channels = input.shape.dropFirst(leading.count).reduce(1, *)
        guard channels == inputChannels, outputChannels > 0 else {
            throw failure("it takes \(inputChannels) channels; its input of the shape \(input.shape) has \(channels)")
        }
        let matrix = try weights(parameters, "weights", 20, shape: [outputChannels, inputChannels])
        var bias: Blob?
        if try parameters.bool("hasBias", 10) {
            let values = try values(parameters, "bias", 21, count: outputChannels)
            bias = constant(ONNXTensor(values, shape: [outputChannels]))
        }
        if leading.count == 2, !isPicture {
            // In a sequence the batch stays the first dimension, so the rows are not merged into one.
            let product = try emit(
                "MatMul", [input, transpose(matrix, [1, 0])], shape: leading + [outputChannels],
                hasBatch: input.hasBatch)
            guard let bias else { return product }
            return try binary("Add", product, bias)
        }
        let rows = try reshape(input, to: [leading.reduce(1, *), channels])
        let product = try emit(
            "Gemm", [rows, matrix] + (bias.map { [$0] } ?? []), ["transB": .integer(1)],
            shape: [rows.shape[0], outputChannels], hasBatch: rows.hasBatch)
        return try reshape(product, to: leading + [outputChannels] + (isPicture ? [1, 1] : []))
    }
}
