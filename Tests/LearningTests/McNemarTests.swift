import Testing

@testable import Learning

@Suite struct McNemarTests {
    /// A test with this many photos that only the first model, only the second, or both have right.
    private func test(onlyFirst: Int, onlySecond: Int, photos: Int) -> McNemar {
        let rest = photos - onlyFirst - onlySecond
        func answers(_ first: Bool) -> [Bool] {
            [Bool](repeating: first, count: onlyFirst) + [Bool](repeating: !first, count: onlySecond)
                + [Bool](repeating: true, count: rest)
        }
        return McNemar(first: answers(true), second: answers(false))
    }

    /// The probabilities come from `statsmodels.stats.contingency_tables.mcnemar(table, exact=True)` 0.15. The
    /// intervals come from the formula in Python. The one for 1 and 7 of 21 is the example of Fagerland, Lydersen and
    /// Laake, “Recommended tests and confidence intervals for paired binomial proportions”, Statistics in Medicine 33
    /// (2014).
    @Test(arguments: [
        (1, 7, 21, 0.285_714_286, 0.013_379_824, 0.508_359_307, 0.070_312_5),
        (2, 10, 100, 0.08, 0.008_163_789, 0.148_698_956, 0.038_574_219),
        (5, 25, 100, 0.2, 0.094_258_138, 0.297_898_724, 0.000_324_914),
        (1, 2, 100, 0.01, -0.033_120_725, 0.052_728_568, 1.0),
        (0, 0, 40, 0.0, -0.065_995_420, 0.065_995_420, 1.0),
    ])
    func differenceIntervalAndProbability(
        onlyFirst: Int, onlySecond: Int, photos: Int, difference: Double, lower: Double, upper: Double,
        probability: Double
    ) {
        let test = test(onlyFirst: onlyFirst, onlySecond: onlySecond, photos: photos)
        #expect(test.onlyFirst == onlyFirst && test.onlySecond == onlySecond && test.photos == photos)
        #expect(abs(test.difference - difference) < 1e-8)
        #expect(abs(test.interval.lowerBound - lower) < 1e-8 && abs(test.interval.upperBound - upper) < 1e-8)
        #expect(abs(test.probability - probability) < 1e-8, "\(test.probability)")
        // Swapping the models changes every sign and keeps the probability.
        let turned = self.test(onlyFirst: onlySecond, onlySecond: onlyFirst, photos: photos)
        #expect(turned.difference == -test.difference && turned.probability == test.probability)
        #expect(abs(turned.interval.lowerBound + test.interval.upperBound) < 1e-12)
    }

    @Test func withoutPhotosNothingIsKnown() {
        let test = McNemar(first: [], second: [])
        #expect(test.difference == 0 && test.probability == 1 && test.interval == -1...1)
    }
}
