/// For every output column (or row) of a one-dimensional triangle resize: the first input it reads and its weights.
///
/// The same support, centres and fixed-point weights as Pillow's `precompute_coeffs` and `normalize_coeffs_8bpc` with
/// `BILINEAR` (src/libImaging/Resample.c), which widens the triangle by the scale when shrinking: that is what
/// "antialiased" means in the model card.
struct FilterWeights {
    /// Fraction bits of a weight; with 8 bits of level and 2 bits to spare a sum fits into 32 bits.
    static let precision: Int32 = 32 - 8 - 2
    /// What sums begin with, so that they are rounded to the nearest level.
    static let half: Int32 = 1 << (precision - 1)

    /// Inputs that every output reads; those outside its own triangle have the weight 0.
    let taps: Int
    /// First input index of each output, never falling.
    let starts: [Int]
    /// `taps` weights for each output, one output after another, in units of 2⁻²²; those of one output sum to 1 within
    /// the rounding.
    let weights: [Int32]

    /// - Parameters:
    ///   - inputCount: inputs that exist, 0…inputCount−1.
    ///   - span: how many of them map onto `outputCount` outputs; may be fractional.
    ///   - outputs: which of the outputs are wanted; at least one.
    init(inputCount: Int, span: Double, outputCount: Int, outputs: Range<Int>) {
        let scale = span / Double(outputCount)
        let support = max(scale, 1)
        let inverse = 1 / support
        let ranges = outputs.map { output -> Range<Int> in
            let centre = (Double(output) + 0.5) * scale
            let start = min(max(Int(centre - support + 0.5), 0), inputCount - 1)
            return start..<max(min(Int(centre + support + 0.5), inputCount), start + 1)
        }
        let taps = ranges.reduce(1) { max($0, $1.count) }
        // One count for all keeps the inner loops free of branches that cannot be foretold.
        let starts = ranges.map { min($0.lowerBound, inputCount - taps) }
        var weights = [Int32](repeating: 0, count: taps * outputs.count)
        var own: [Double] = []
        for (index, output) in outputs.enumerated() {
            let centre = (Double(output) + 0.5) * scale
            own.removeAll(keepingCapacity: true)
            var sum = 0.0
            for input in ranges[index] {
                let weight = max(0, 1 - abs((Double(input) - centre + 0.5) * inverse))
                own.append(weight)
                sum += weight
            }
            let target = index * taps + ranges[index].lowerBound - starts[index]
            for (tap, weight) in own.enumerated() {
                // Beyond the last input, where a fractional span may end, no triangle reaches: the edge is repeated.
                let share = sum > 0 ? weight / sum : tap == 0 ? 1 : 0
                weights[target + tap] = Int32(0.5 + share * Double(1 << Self.precision))
            }
        }
        self.taps = taps
        self.starts = starts
        self.weights = weights
    }
}
