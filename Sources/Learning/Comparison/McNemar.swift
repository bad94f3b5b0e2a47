import Glibc

/// Whether one of two classifiers is better, by their answers to the same photos.
///
/// Only photos that one has right and the other wrong count (McNemar 1947).
package struct McNemar: Sendable, Equatable {
    /// Photos that only the first has right, and only the second.
    package let onlyFirst: Int
    package let onlySecond: Int
    /// All photos.
    package let photos: Int

    package init(first: [Bool], second: [Bool]) {
        photos = min(first.count, second.count)
        onlyFirst = zip(first, second).count { $0 && !$1 }
        onlySecond = zip(first, second).count { !$0 && $1 }
    }

    /// Accuracy of the second minus that of the first, −1…1.
    package var difference: Double { photos == 0 ? 0 : Double(onlySecond - onlyFirst) / Double(photos) }

    /// The 95 % interval of the difference: Wald's for paired shares with one photo more in each cell where the two differ
    /// (Bonett and Price 2012), which keeps what it promises for few photos too, and is not a point where the two never
    /// differ.
    package var interval: ClosedRange<Double> {
        guard photos > 0 else { return -1...1 }
        let count = Double(photos + 2)
        let (first, second) = (Double(onlyFirst + 1) / count, Double(onlySecond + 1) / count)
        let centre = second - first
        let half = Self.normalQuantile * ((first + second - centre * centre) / count).squareRoot()
        return max(-1, centre - half)...min(1, centre + half)
    }

    /// 97.5 % of a normal distribution lie below it.
    private static let normalQuantile = 1.959_963_984_540_054

    /// The probability of a difference at least as large between equally good classifiers: the exact binomial test, both
    /// sides.
    package var probability: Double {
        let disagreements = onlyFirst + onlySecond
        guard disagreements > 0 else { return 1 }
        let smaller = min(onlyFirst, onlySecond)
        var sum = 0.0
        for count in 0...smaller {
            let logarithm =
                lgamma(Double(disagreements + 1)) - lgamma(Double(count + 1))
                - lgamma(Double(disagreements - count + 1))
                - Double(disagreements) * log(2.0)
            sum += exp(logarithm)
        }
        return min(1, 2 * sum)
    }
}
