import Learning
import Testing

@Suite struct ReceiverOperatingCharacteristicTests {
    func isClose(_ left: Double?, _ right: Double) -> Bool { left.map { abs($0 - right) < 1e-6 } ?? false }

    @Test func `the area counts pairs in the right order, ties half`() {
        // Positives are 0.9 and 0.4; negatives are 0.7, 0.4 and 0.1. Of 6 pairs 4.5 are right: 0.9 wins three, and 0.4
        // wins one and ties one.
        let scores = [0.9, 0.7, 0.4, 0.4, 0.1]
        let isPositive = [true, false, true, false, false]
        #expect(isClose(ReceiverOperatingCharacteristic.area(scores: scores, isPositive: isPositive), 4.5 / 6))
        #expect(ReceiverOperatingCharacteristic.area(scores: [1, 2], isPositive: [true, true]) == nil)
        #expect(ReceiverOperatingCharacteristic.area(scores: [], isPositive: []) == nil)
        #expect(isClose(ReceiverOperatingCharacteristic.area(scores: [1, 2], isPositive: [true, false]), 0))
    }

    @Test(.timeLimit(.minutes(1))) func `scores that are no numbers are counted, too`() {
        #expect(ReceiverOperatingCharacteristic.area(scores: [.nan, 0.5], isPositive: [true, false]) != nil)
    }
}
