import Base
import Foundation

/// Measures of classifiers. Shares are 0…1. The formulas are those of `Training/menagerie_training/measures.py`.
package enum Measures {
    /// The expected calibration error in equal-width bins of confidence: Σ (photos in bin / photos) · |accuracy −
    /// confidence| (Guo et al. 2017, §3).
    package static func calibrationError(confidences: [Float], isRight: [Bool], bins: Int = 15) -> Double {
        var confidence = [Double](repeating: 0, count: bins)
        var right = [Double](repeating: 0, count: bins)
        for (value, isRight) in zip(confidences, isRight) {
            let bin = min(max(Int(clamping: Double(value) * Double(bins)), 0), bins - 1)
            confidence[bin] += Double(value)
            right[bin] += isRight ? 1 : 0
        }
        let error = zip(confidence, right).reduce(0) { $0 + abs($1.0 - $1.1) }
        return error / Double(max(1, confidences.count))
    }

    /// Half of the width of the 95 % interval of a measured share (Wilson 1927). The interval is wide for few photos,
    /// even if all are right.
    package static func interval(share: Double, count: Int) -> Double {
        let (z, n) = (1.96, Double(max(count, 1)))
        return z / (1 + z * z / n) * (max(share * (1 - share), 0) / n + z * z / (4 * n * n)).squareRoot()
    }

    /// A share in percent with one decimal, as reports write it: `91.2 %`.
    static func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }
}
