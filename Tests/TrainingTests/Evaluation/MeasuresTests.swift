import Testing
@testable import Training

/// The comments show how the expected values were computed by hand.
@Suite struct MeasuresTests {
    func isClose(_ left: Double?, _ right: Double) -> Bool { left.map { abs($0 - right) < 1e-6 } ?? false }

    @Test func `calibration error weighs each bin by its photos`() {
        // Two bins: {0.2 wrong, 0.4 right}: |0.5 − 0.3| · 2/5; {0.6, 0.8, 1.0 all right}: |1 − 0.8| · 3/5.
        let error = Measures.calibrationError(
            confidences: [0.2, 0.4, 0.6, 0.8, 1], isRight: [false, true, true, true, true], bins: 2)
        #expect(isClose(error, 0.2 * 0.4 + 0.2 * 0.6))
        #expect(Measures.calibrationError(confidences: [], isRight: []) == 0)
    }

    @Test func `the interval of a half on a hundred photos is ten per cent`() {
        #expect(isClose(Measures.interval(share: 0.5, count: 100), 0.0961701714))
        #expect(isClose(Measures.interval(share: 1, count: 10), 0.1387700844))
    }

    /// Three classes; truth by row, answer by column: a: 2 1 0, b: 0 1 0, c: 0 0 0 (no photos, one answer from b's side is 0).
    func matrix() -> ConfusionMatrix {
        var matrix = ConfusionMatrix(labels: ["a", "b", "c"])
        for (truth, answer) in [(0, 0), (0, 0), (0, 1), (1, 1)] { matrix.add(truth: truth, answer: answer) }
        return matrix
    }

    @Test func `precision, recall and F1 of each class`() {
        let matrix = matrix()
        #expect(matrix.photos(of: 0) == 3 && matrix.answers(of: 1) == 2)
        #expect(isClose(matrix.precision(of: 0), 1) && isClose(matrix.recall(of: 0), 2.0 / 3))
        #expect(isClose(matrix.precision(of: 1), 0.5) && isClose(matrix.recall(of: 1), 1))
        // 2 · 1 · ⅔ / (1 + ⅔) = 0.8 and 2 · ½ · 1 / 1.5 = ⅔. Class c has no photos and does not count.
        #expect(isClose(matrix.f1(of: 0), 0.8) && isClose(matrix.f1(of: 1), 2.0 / 3) && matrix.f1(of: 2) == 0)
        #expect(isClose(matrix.macro(matrix.f1), (0.8 + 2.0 / 3) / 2))
    }

    @Test func `mistakes are listed by how often they happen, and the table is CSV`() {
        var matrix = matrix()
        for _ in 0..<2 { matrix.add(truth: 1, answer: 2) }
        let mistakes = matrix.confusions(5)
        #expect(mistakes.map { "\($0.truth) \($0.answer) \($0.photos)" } == ["b c 2", "a b 1"])
        #expect(matrix.csv == "class,a,b,c\r\na,2,1,0\r\nb,0,1,2\r\nc,0,0,0\r\n")
    }

    @Test func `the plot of many classes has no square for each empty place`() {
        var matrix = ConfusionMatrix(labels: (0..<500).map { "class \($0)" })
        for label in 0..<500 { matrix.add(truth: label, answer: label) }
        matrix.add(truth: 499, answer: 0)
        let svg = ConfusionPlot(matrix: matrix, title: "many").svg
        #expect(svg.utf8.count < 500_000)
        #expect(svg.contains("<rect x=\"20\" y=\"50\" width=\"1999\" height=\"1999\" fill=\"rgb(245,245,245)\"/>"))
        #expect(svg.contains("<rect x=\"20\" y=\"2046\" width=\"3\" height=\"3\" fill=\"rgb(238,202,123)\"/>"))
    }

    @Test func `a head's measures`() throws {
        var tally = HeadTally(labels: ["a", "b", "c", "d"])
        #expect(tally.measures() == nil)
        tally.add([0.7, 0.1, 0.1, 0.1], truth: 0)
        tally.add([0.5, 0.3, 0.1, 0.1], truth: 1)
        // Of equal scores the first is answered, so the truth d is behind three others.
        tally.add([0.25, 0.25, 0.25, 0.25], truth: 3)
        tally.add([0.1, 0.6, 0.2, 0.1], truth: 1)
        let measures = try #require(tally.measures())
        #expect(measures.photos == 4 && measures.classes == 3)
        #expect(isClose(measures.top1, 0.5) && isClose(measures.top3, 0.75))
        // a: precision 1/3, recall 1, F1 ½; b: 1, ½, ⅔; d: 0, 0, 0.
        #expect(isClose(measures.precision, (1.0 / 3 + 1) / 3) && isClose(measures.recall, 0.5))
        #expect(isClose(measures.macroF1, (0.5 + 2.0 / 3) / 3))
        // a: 0.7 beats 3 of 3; b: 0.3 and 0.6 beat 0.1 and 0.25, 4 of 4; d: 0.25 beats 3 of 3.
        #expect(isClose(measures.rocAUC, 1))
        // Bins of 1/15: 0.7 right, 0.5 wrong, 0.25 wrong, 0.6 right, each alone: (0.3 + 0.5 + 0.25 + 0.4) / 4.
        #expect(isClose(measures.calibrationError, 1.45 / 4))
        #expect(isClose(measures.top1Interval, 0.3499642913))
        #expect(measures.mostConfused.map { "\($0.label) \($0.answer)" } == ["b a", "d a"])
    }
}
