import Testing

@testable import Learning

@Suite struct CalibrationTests {
    /// Logits that are three times too large need a temperature of three.
    @Test func theTemperatureUndoesExaggeration() {
        var random = SplitMix64(seed: 1)
        var logits: [[Float]] = []
        var classes: [Int] = []
        for _ in 0..<20_000 {
            let row = (0..<3).map { _ in Float(random.below(4_001)) / 1_000 - 2 }
            let probabilities = LinearClassifier.probabilities(row)
            let draw = Double(random.below(1_000_000)) / 1_000_000
            classes.append(draw < probabilities[0] ? 0 : draw < probabilities[0] + probabilities[1] ? 1 : 2)
            logits.append(row.map { $0 * 3 })
        }
        let temperature = Temperature.fitting(logits, classes: classes)
        #expect(abs(temperature - 3) < 0.1, "\(temperature)")
        let fitted = Temperature.meanLoss(logits, classes, temperature: temperature)
        #expect(fitted < Temperature.meanLoss(logits, classes, temperature: temperature * 1.1))
        #expect(fitted < Temperature.meanLoss(logits, classes, temperature: temperature / 1.1))
    }

    @Test func withoutHeldOutPhotosNothingIsCalibrated() {
        #expect(Temperature.fitting([], classes: []) == 1)
        #expect(UnknownThreshold.keepingRightAnswers(confidences: [], isRight: []) == 0)
    }

    @Test func mostRightAnswersStayAboveTheThreshold() {
        let confidences = (0..<100).map { Double($0) / 100 }
        let threshold = UnknownThreshold.keepingRightAnswers(
            confidences: confidences, isRight: confidences.map { $0 >= 0.2 })
        #expect(threshold >= 0.23 && threshold <= 0.25, "\(threshold)")
    }
}
