/// The weights of a one-dimensional triangle resize: for every output column (or row), the first input and its weights.
///
/// Support, centres and fixed-point weights equal those of Pillow's `precompute_coeffs` and `normalize_coeffs_8bpc`
/// with `BILINEAR` (src/libImaging/Resample.c). They widen the triangle by the scale when shrinking, which the model
/// card calls "antialiased".
struct FilterWeights {
    /// The fraction bits of a weight. With 8 bits of level and 2 spare bits, a sum fits into 32 bits.
    static let precision: Int32 = 32 - 8 - 2
    /// The start value of sums, which rounds them to the nearest level.
    static let half: Int32 = 1 << (precision - 1)

    /// The number of inputs for every output. Those outside the output's triangle have the weight 0.
    let taps: Int
    /// The first input index of each output. The indices never decrease.
    let starts: [Int]
    /// `taps` weights for each output, one output after another, in units of 2⁻²². The weights of an output sum to 1
    /// within rounding.
    let weights: [Int32]

    /// - Parameters:
    ///   - inputCount: the number of inputs.
    ///   - span: the number of inputs that map onto `outputCount` outputs; may be fractional.
    ///   - outputs: the wanted outputs, at least one.
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
        // One count for all outputs keeps unpredictable branches out of the inner loops.
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
                // A fractional span may end beyond the last input. No triangle reaches there: the edge repeats.
                let share = sum > 0 ? weight / sum : tap == 0 ? 1 : 0
                weights[target + tap] = Int32(0.5 + share * Double(1 << Self.precision))
            }
        }
        self.taps = taps
        self.starts = starts
        self.weights = weights
    }
}
