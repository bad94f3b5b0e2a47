import Testing

@testable import Learning

@Suite struct McNemarTests {
    @Test func onlyPhotosOnWhichTheTwoDifferCount() {
        let test = McNemar(
            first: [true, true, false, false, true] + [Bool](repeating: true, count: 95),
            second: [true, false, true, true, true] + [Bool](repeating: true, count: 95))
        #expect(test.onlyFirst == 1 && test.onlySecond == 2 && test.photos == 100)
        #expect(abs(test.difference - 0.01) < 1e-12)
        #expect(test.interval.contains(0) && test.probability == 1)
    }

    /// 25 against 5 of 100: the exact test gives 2·P(X ≤ 5 | 30, ½) = 0.000325.
    @Test func aClearDifferenceIsToldFromChance() {
        let first = (0..<100).map { $0 < 5 || $0 >= 30 }
        let second = (0..<100).map { $0 >= 5 }
        let test = McNemar(first: first, second: second)
        #expect(test.onlyFirst == 5 && test.onlySecond == 25)
        #expect(abs(test.probability - 0.000_325) < 2e-6, "\(test.probability)")
        // 0.2 ± 1.96 · √(30 − 400/100) / 100
        #expect(abs(test.interval.lowerBound - 0.100_06) < 1e-4 && abs(test.interval.upperBound - 0.299_94) < 1e-4)
    }

    @Test func withoutPhotosThereIsNoDifference() {
        let test = McNemar(first: [], second: [])
        #expect(test.difference == 0 && test.probability == 1 && test.interval == 0...0)
    }
}
