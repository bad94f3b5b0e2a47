import Glibc

/// A test of which of two classifiers is better, by their answers to the same photos.
///
/// Only photos that one gets right and the other wrong count (McNemar 1947).
package struct McNemar: Sendable, Equatable {
    /// The number of photos that only the first gets right.
    package let onlyFirst: Int
    package let onlySecond: Int
    /// The number of all photos.
    package let photos: Int

    package init(first: [Bool], second: [Bool]) {
        photos = min(first.count, second.count)
        onlyFirst = zip(first, second).count { $0 && !$1 }
        onlySecond = zip(first, second).count { !$0 && $1 }
    }

    /// Accuracy of the second minus that of the first, −1…1.
    package var difference: Double { photos == 0 ? 0 : Double(onlySecond - onlyFirst) / Double(photos) }

    /// The 95 % interval of the difference: Wald's for paired shares with one photo added to each cell of disagreement
    /// (Bonett and Price 2012). It also holds for few photos, and is not a point if the classifiers never disagree.
    package var interval: ClosedRange<Double> {
        guard photos > 0 else { return -1...1 }
        let count = Double(photos + 2)
        let (first, second) = (Double(onlyFirst + 1) / count, Double(onlySecond + 1) / count)
        let centre = second - first
        let half = Self.normalQuantile * ((first + second - centre * centre) / count).squareRoot()
        return max(-1, centre - half)...min(1, centre + half)
    }

    /// The 97.5 % quantile of the normal distribution.
    private static let normalQuantile = 1.959_963_984_540_054

    /// The probability that equally good classifiers differ at least this much: the exact two-sided binomial test.
    package var probability: Double {
        let disagreements = onlyFirst + onlySecond
        guard disagreements > 0 else { return 1 }
        let smaller = min(onlyFirst, onlySecond)
        func logFactorial(_ number: Int) -> Double { lgamma(Double(number + 1)) }
        let all = logFactorial(disagreements) - Double(disagreements) * log(2.0)
        var sum = 0.0
        for count in 0...smaller {
            sum += exp(all - logFactorial(count) - logFactorial(disagreements - count))
        }
        return min(1, 2 * sum)
    }
}
