import Glibc

/// A linear classifier: `logits = weights · features + bias`.
package struct LinearClassifier: Sendable, Equatable {
    package let classes: Int
    package let features: Int
    /// `classes` × `features`, row-major.
    package let weights: [Float]
    /// One value for each class.
    package let bias: [Float]

    package init(classes: Int, features: Int, weights: [Float], bias: [Float]) {
        precondition(weights.count == classes * features && bias.count == classes, "weights of another shape")
        self.classes = classes
        self.features = features
        self.weights = weights
        self.bias = bias
    }

    /// The fewest rows for a thread.
    private static let grain = 64

    /// One row of logits for each row of features.
    ///
    /// - Parameter threads: the number of threads that may compute.
    package func logits(of matrix: FeatureMatrix, threads: Int = 1) -> [[Float]] {
        var rows = [[Float]](repeating: [], count: matrix.rows)
        rows.withUnsafeMutableBufferPointer { rows in
            let place = rows
            ParallelRanges.run(count: place.count, grain: Self.grain, threads: threads) { range in
                for row in range { place[row] = logits(of: matrix[row]) }
            }
        }
        return rows
    }

    /// The logits of one sample, one for each class.
    package func logits(of row: ArraySlice<Float>) -> [Float] {
        row.withUnsafeBufferPointer { row in
            weights.withUnsafeBufferPointer { weights in
                bias.indices.map { index in
                    var sums = SIMD4<Double>.zero
                    let start = index * features
                    let whole = features & ~3
                    for column in stride(from: 0, to: whole, by: 4) {
                        let left = SIMD4<Float>(row[column], row[column + 1], row[column + 2], row[column + 3])
                        let place = start + column
                        let right = SIMD4<Float>(
                            weights[place], weights[place + 1], weights[place + 2], weights[place + 3])
                        sums += SIMD4<Double>(left) * SIMD4<Double>(right)
                    }
                    var sum = sums.sum() + Double(bias[index])
                    for column in whole..<features { sum += Double(row[column]) * Double(weights[start + column]) }
                    return Float(sum)
                }
            }
        }
    }

    /// The class with the largest logit. The first of equal ones wins.
    package static func answer(_ logits: [Float]) -> Int {
        logits.indices.max { (logits[$0], $1) < (logits[$1], $0) } ?? 0
    }

    /// exp(x/T) / Σ exp(x/T).
    package static func probabilities(_ logits: [Float], temperature: Double = 1) -> [Double] {
        let largest = logits.max() ?? 0
        let exponentials = logits.map { exp(Double($0 - largest) / temperature) }
        let sum = exponentials.reduce(0, +)
        return exponentials.map { $0 / sum }
    }
}
