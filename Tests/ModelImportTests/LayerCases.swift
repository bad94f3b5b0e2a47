import Base

@testable import ModelImport

extension LayerCase {
    private static func kernel(_ writer: inout ProtocolBufferWriter, groups: Int = 1, size: [Int], outputs: Int = 6) {
        writer.integer(outputs, 1)
        writer.integer(3 / groups, 2)
        writer.integer(groups, 10)
        writer.integers(size, 20)
        let count = outputs * 3 / groups * size.reduce(1, *)
        writer.message(90, CoreMLFile.weights(Array(repeating: 0.5, count: count)))
    }

    private static func borders(_ amounts: [Int]) -> CoreMLFile.Content {
        { writer in
            for index in [0, 2] {
                writer.message(10) { edge in
                    edge.integer(amounts[index], 1)
                    edge.integer(amounts[index + 1], 2)
                }
            }
        }
    }

    /// The expected sizes come from the formulas in `NeuralNetwork.proto` for 8×6.
    static let spatial: [LayerCase] = [
        LayerCase("convolution, valid", .convolution, shape: [1, 6, 3, 2], ["Conv"]) { writer in
            kernel(&writer, size: [3, 3])
            writer.integers([2, 2], 30)
        },
        LayerCase("convolution, same", .convolution, shape: [1, 6, 4, 3], ["Conv"]) { writer in
            kernel(&writer, size: [3, 3])
            writer.integers([2, 2], 30)
            writer.message(51) { _ in }
        },
        LayerCase("convolution, groups and dilation", .convolution, shape: [1, 6, 4, 2], ["Conv"]) { writer in
            kernel(&writer, groups: 3, size: [3, 3])
            writer.integers([2, 2], 40)
        },
        LayerCase("convolution, padded", .convolution, shape: [1, 6, 11, 6], ["Conv"]) { writer in
            kernel(&writer, size: [1, 3])
            writer.message(50) { $0.message(1, borders([1, 2, 1, 1])) }
        },
        LayerCase("deconvolution, valid", .convolution, shape: [1, 6, 17, 13], ["ConvTranspose"]) { writer in
            kernel(&writer, size: [3, 3])
            writer.integers([2, 2], 30)
            writer.integer(1, 60)
        },
        LayerCase("deconvolution, same", .convolution, shape: [1, 6, 16, 12], ["ConvTranspose"]) { writer in
            kernel(&writer, size: [3, 3])
            writer.integers([2, 2], 30)
            writer.message(51) { _ in }
            writer.integer(1, 60)
        },
        LayerCase("deconvolution to a given size", .convolution, shape: [1, 6, 15, 12], ["ConvTranspose"]) { writer in
            kernel(&writer, size: [3, 3])
            writer.integers([2, 2], 30)
            writer.integer(1, 60)
            writer.integers([15, 12], 100)
        },
        LayerCase("maximum pooling, valid", .pooling, shape: [1, 3, 3, 2], ["MaxPool"]) { writer in
            writer.integers([3, 3], 10)
            writer.integers([2, 2], 20)
            writer.message(30) { _ in }
        },
        LayerCase("maximum pooling to the last pixel", .pooling, shape: [1, 3, 4, 3], ["MaxPool"]) { writer in
            writer.integers([3, 3], 10)
            writer.integers([2, 2], 20)
            writer.message(32) { $0.integers([0, 0], 10) }
        },
        LayerCase("average pooling to the last pixel, padded", .pooling, shape: [1, 3, 5, 4], ["Pad", "AveragePool"]) {
            writer in
            writer.integer(1, 1)
            writer.integers([3, 3], 10)
            writer.integers([2, 2], 20)
            writer.message(32) { $0.integers([1, 1], 10) }
        },
        LayerCase("Euclidean pooling", .pooling, shape: [1, 3, 4, 3], ["Mul", "AveragePool", "Mul", "Sqrt"]) { writer in
            writer.integer(2, 1)
            writer.integers([2, 2], 10)
            writer.integers([2, 2], 20)
        },
        LayerCase("global pooling with a kernel of zero", .pooling, shape: [1, 3, 1, 1], ["GlobalAveragePool"]) {
            writer in
            writer.integer(1, 1)
            writer.integers([0, 0], 10)
            writer.integer(1, 60)
        },
        LayerCase("crop", .crop, shape: [1, 3, 5, 5], ["Slice"]) { $0.message(1, borders([1, 2, 0, 1])) },
        LayerCase("padding", .padding, shape: [1, 3, 11, 7], ["Pad"]) { $0.message(10, borders([1, 2, 0, 1])) },
        LayerCase("upsampling", .upsample, shape: [1, 3, 16, 18], ["Resize"]) { $0.integers([2, 3], 1) },
        LayerCase("upsampling by fractions", .upsample, shape: [1, 3, 12, 7], ["Resize"]) { $0.floats([1.5, 1.2], 7) },
        LayerCase("resizing", .resizeBilinear, shape: [1, 3, 5, 7], ["Resize"]) { $0.integers([5, 7], 1) },
        LayerCase("space to depth", .reorganizeData, shape: [1, 12, 4, 3], ["SpaceToDepth"]) { $0.integer(2, 2) },
    ]

    static let shapes: [LayerCase] = [
        LayerCase("flatten, channels first", .flatten, shape: [1, 144, 1, 1], ["Reshape"]),
        LayerCase("flatten, channels last", .flatten, shape: [1, 144, 1, 1], ["Transpose", "Reshape"]) {
            $0.integer(1, 1)
        },
        LayerCase("reshape", .reshape, shape: [1, 12, 4, 3], ["Reshape"]) { $0.integers([12, 4, 3], 1) },
        LayerCase("reshape, channels last", .reshape, shape: [1, 12, 4, 3], ["Transpose", "Reshape", "Transpose"]) {
            writer in
            writer.integers([12, 4, 3], 1)
            writer.integer(1, 2)
        },
        LayerCase("permute", .permute, shape: [1, 6, 3, 8], ["Transpose"]) { $0.integers([0, 3, 1, 2], 1) },
        LayerCase("slice of the rows from the end", .slice, shape: [1, 3, 3, 6], ["Slice"]) { writer in
            writer.integer(1, 1)
            writer.integer(-2, 2)
            writer.integer(2, 3)
            writer.integer(1, 4)
        },
        LayerCase("sum over the picture", .reduce, shape: [1, 1, 1, 1], ["ReduceSum"]),
        LayerCase("largest channel", .reduce, shape: [1, 1, 8, 6], ["ArgMax", "Cast"]) { writer in
            writer.integer(9, 1)
            writer.integer(2, 3)
        },
        LayerCase("inner product", .innerProduct, shape: [1, 2, 1, 1], ["Reshape", "Gemm", "Reshape"]) { writer in
            writer.integer(144, 1)
            writer.integer(2, 2)
            writer.message(20, CoreMLFile.weights(Array(repeating: 0.1, count: 288)))
        },
        LayerCase("bias for each channel", .bias, shape: [1, 3, 8, 6], ["Add"]) { writer in
            writer.integers([3], 1)
            writer.message(2, CoreMLFile.weights([1, 2, 3]))
        },
        LayerCase("normalisation over a batch's statistics", .batchnorm, shape: [1, 3, 8, 6], ["BatchNormalization"]) {
            writer in
            writer.integer(3, 1)
            for field in 15...18 { writer.message(field, CoreMLFile.weights([1, 2, 3])) }
        },
        LayerCase("instance normalisation", .batchnorm, shape: [1, 3, 8, 6], ["InstanceNormalization"]) { writer in
            writer.integer(3, 1)
            writer.integer(1, 5)
            writer.integer(1, 6)
        },
        LayerCase("softmax over the channels", .softmax, shape: [1, 3, 8, 6], ["Softmax"]),
    ]

    /// Layers of specification 4, on exact shapes.
    static let exact: [LayerCase] = [
        LayerCase("transpose", .transpose, exact: true, shape: [1, 8, 6, 3], ["Transpose"]) {
            $0.integers([0, 2, 3, 1], 1)
        },
        LayerCase("static reshape", .reshapeStatic, exact: true, shape: [1, 144], ["Reshape"]) {
            $0.integers([1, -1], 1)
        },
        LayerCase("expanded", .expandDims, exact: true, shape: [1, 3, 8, 6, 1], ["Reshape"]) { $0.integers([-1], 1) },
        LayerCase("to a matrix", .flattenTo2D, exact: true, shape: [1, 144], ["Reshape"]) { $0.integer(1, 1) },
        LayerCase("reduced without a trace", .reduceMean, exact: true, shape: [1, 3], ["ReduceMean"]) {
            $0.integers([2, -1], 1)
        },
        LayerCase("absolute sum", .reduceL1, exact: true, shape: [1, 8, 6], ["Abs", "ReduceSum", "Reshape"]) {
            $0.integers([1], 1)
        },
        LayerCase("product with weights", .batchedMatmul, exact: true, shape: [1, 3, 8, 2], ["Transpose", "MatMul"]) {
            writer in
            writer.integer(6, 5)
            writer.integer(2, 6)
            writer.message(8, CoreMLFile.weights(Array(repeating: 1, count: 12)))
        },
        LayerCase("interleaved", .concatND, exact: true, shape: [1, 3, 8, 6], ["Unsqueeze", "Concat", "Reshape"]) {
            writer in
            writer.integer(1, 1)
            writer.integer(1, 2)
        },
        LayerCase("backwards", .reverse, exact: true, shape: [1, 3, 8, 6], ["Slice"]) { $0.integers([0, 0, 0, 1], 1) },
        LayerCase(
            "static slice with one row taken out", .sliceStatic, exact: true, shape: [1, 3, 3], ["Slice", "Reshape"]
        ) { writer in
            writer.integers([0, 0, 2, 5], 1)
            writer.integers([1, 1, 0, 0], 2)
            writer.integers([0, 0, 0, 0], 3)
            writer.integers([1, 1, 0, 1], 4)
            writer.integers([1, 1, 1, -2], 5)
            writer.integers([0, 0, 1, 0], 6)
        },
        LayerCase("tiled", .tile, exact: true, shape: [1, 3, 16, 18], ["Tile"]) { $0.integers([2, 3], 1) },
        LayerCase("padded by dimension", .constantPad, exact: true, shape: [1, 4, 8, 9], ["Pad"]) {
            $0.integers([0, 0, 1, 0, 0, 0, 1, 2], 2)
        },
    ]

    static let mixing: [LayerCase] = [
        LayerCase("a new sequence", .reshape, shape: [3, 1, 8, 6], ["Reshape"]) { $0.integers([3, 1, 8, 6], 1) },
        LayerCase("the sequence moved", .permute, shape: [3, 1, 8, 6], ["Transpose"]) { $0.integers([1, 0, 2, 3], 1) },
        LayerCase("the sequence repeated", .sequenceRepeat, shape: [4, 3, 8, 6], ["Tile"]) { $0.integer(4, 1) },
        LayerCase("the batch squeezed away", .squeeze, exact: true, shape: [3, 8, 6], ["Reshape"]) {
            $0.integers([0], 1)
        },
    ]
}
