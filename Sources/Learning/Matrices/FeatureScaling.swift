/// Shifts and scales features so that one strength of regularisation suits every network. The mean of each feature is
/// subtracted. Then all are divided by one number, so that the average variance of a feature is 1.
///
/// One divisor for all features keeps their proportions, which carry meaning. It never inflates a feature that is
/// nearly constant.
package struct FeatureScaling: Sendable, Equatable {
    /// Subtracted from each feature.
    package let mean: [Double]
    /// Multiplied with the difference.
    package let factor: Double
}

extension FeatureScaling {
    /// The scaling that suits the given rows.
    init(fitting features: FeatureMatrix) {
        let (rows, columns) = (features.rows, features.columns)
        var mean = [Double](repeating: 0, count: columns)
        for row in 0..<rows {
            for (column, value) in features[row].enumerated() { mean[column] += Double(value) }
        }
        for column in mean.indices { mean[column] /= Double(max(1, rows)) }
        var squares = 0.0
        for row in 0..<rows {
            for (column, value) in features[row].enumerated() {
                let difference = Double(value) - mean[column]
                squares += difference * difference
            }
        }
        let variance = squares / Double(max(1, rows * columns))
        self.init(mean: mean, factor: variance > 1e-20 ? 1 / variance.squareRoot() : 1)
    }
}
