/// For every output column (or row) of a one-dimensional triangle resize: the first input it reads and its weights.
///
/// The same support and centres as Pillow's `precompute_coeffs` with `BILINEAR` (src/libImaging/Resample.c), which
/// widens the triangle by the scale when shrinking: that is what "antialiased" means in the model card.
struct FilterWeights {
    /// First input index of each output.
    private(set) var starts: [Int] = []
    /// How many inputs each output reads.
    private(set) var counts: [Int] = []
    /// Where the weights of each output begin in `weights`.
    private(set) var offsets: [Int] = []
    /// All weights one after another; those of one output sum to 1.
    private(set) var weights: [Float] = []

    /// - Parameters:
    ///   - inputCount: inputs that exist, 0…inputCount−1.
    ///   - span: the part of the input axis, in input pixels, that maps onto `outputCount` outputs; may be fractional.
    ///   - outputs: which of the outputs are wanted.
    init(inputCount: Int, span: ClosedRange<Double>, outputCount: Int, outputs: Range<Int>) {
        let scale = (span.upperBound - span.lowerBound) / Double(outputCount)
        let support = max(scale, 1)
        starts.reserveCapacity(outputs.count)
        for output in outputs {
            let centre = span.lowerBound + (Double(output) + 0.5) * scale
            let start = min(max(Int(centre - support + 0.5), 0), inputCount - 1)
            let end = max(min(Int(centre + support + 0.5), inputCount), start + 1)
            var own = (start..<end).map { max(0, 1 - abs((Double($0) - centre + 0.5) / support)) }
            let sum = own.reduce(0, +)
            if sum > 0 { own = own.map { $0 / sum } } else { own = own.indices.map { $0 == 0 ? 1 : 0 } }
            starts.append(start)
            counts.append(own.count)
            offsets.append(weights.count)
            weights.append(contentsOf: own.map(Float.init))
        }
    }
}
