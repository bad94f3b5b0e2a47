/// A sliding window: its size including dilation, and its strides, in pixels.
struct CoreMLWindow {
    let height: Int
    let width: Int
    let stride: (height: Int, width: Int)
}

/// `ValidPadding` and `SamePadding` of `NeuralNetwork.proto`.
extension LayerGraph {
    /// The pixels that convolution or pooling adds around its input.
    ///
    /// - Parameters:
    ///   - valid: the number of the `ValidPadding` field. It applies if neither field is present.
    ///   - same: the number of the `SamePadding` field.
    func spatialPadding(
        _ parameters: Parameters, valid: Int, same: Int, _ window: CoreMLWindow, height: Int, width: Int
    ) throws(WireFormatError) -> CoreMLBorders {
        guard let same = try parameters.message("same", same) else {
            return try borders(parameters.message("valid", valid)?.message("paddingAmounts", 1))
        }
        let isTopLeftHeavy = try same.integer("asymmetryMode", 1) == 1
        let total = (
            height: Self.samePadding(height, window: window.height, stride: window.stride.height),
            width: Self.samePadding(width, window: window.width, stride: window.stride.width)
        )
        let (top, bottom) = Self.halves(total.height, startIsLarger: isTopLeftHeavy)
        let (left, right) = Self.halves(total.width, startIsLarger: isTopLeftHeavy)
        return CoreMLBorders(top: top, bottom: bottom, left: left, right: right)
    }

    /// The number of pixels to add so that ⌈length / stride⌉ windows fit.
    private static func samePadding(_ length: Int, window: Int, stride: Int) -> Int {
        let count = (length + stride - 1) / stride
        return max(0, (count - 1) * stride + window - length)
    }

    /// Splits a number of pixels between start and end. An odd pixel goes to the end, or to the start if
    /// `startIsLarger`. A negative number goes to the end entirely.
    static func halves(_ total: Int, startIsLarger: Bool) -> (start: Int, end: Int) {
        if total < 0 { return (0, total) }
        let start = startIsLarger ? (total + 1) / 2 : total / 2
        return (start, total - start)
    }

    /// The number of positions of the window: ⌊(length + padding − window) / stride⌋ + 1.
    func outputSize(
        _ window: CoreMLWindow, _ padding: CoreMLBorders, height: Int, width: Int
    ) throws(WireFormatError) -> (height: Int, width: Int) {
        let rest = (
            height: height + padding.top + padding.bottom - window.height,
            width: width + padding.left + padding.right - window.width
        )
        guard rest.height >= 0, rest.width >= 0 else {
            throw failure(
                "its window of \(window.height)×\(window.width) is larger than its padded input of the size "
                    + "\(height)×\(width)")
        }
        return (rest.height / window.stride.height + 1, rest.width / window.stride.width + 1)
    }
}
