import Base

/// A confusion matrix as a grid. Rows are true classes, columns are answers. A darker square holds more of its row.
package struct ConfusionPlot: Sendable {
    package let matrix: ConfusionMatrix
    package let title: String

    /// The most classes for which numbers fit into the squares.
    private static let maximumNumbered = 40

    package var svg: String {
        let count = matrix.labels.count
        let isNumbered = count <= Self.maximumNumbered
        let side = isNumbered ? 30.0 : max(4, 1_000 / Double(count))
        let (left, top) = (isNumbered ? 180.0 : 20.0, isNumbered ? 70.0 : 50.0)
        var drawing = SVGDocument(
            width: left + side * Double(count) + 40, height: top + side * Double(count) + (isNumbered ? 180 : 20))
        drawing.text(title, x: 12, y: 24, isBold: true)
        drawing.text("rows: what it is, columns: what was answered", x: 12, y: 42)
        if !isNumbered {
            // Most squares of a large matrix are empty. They are one background with gaps, since a rectangle for each
            // would make megabytes.
            let whole = side * Double(count) - 1
            drawing.rectangle(x: left, y: top, width: whole, height: whole, colour: Self.shade(0, isRight: false))
            for index in 1..<count {
                let gap = side * Double(index) - 1
                drawing.rectangle(x: left + gap, y: top, width: 1, height: whole, colour: "white")
                drawing.rectangle(x: left, y: top + gap, width: whole, height: 1, colour: "white")
            }
        }
        for truth in 0..<count {
            let photos = matrix.photos(of: truth)
            let y = top + side * Double(truth)
            if isNumbered {
                drawing.text(Self.short(matrix.labels[truth]), x: left - 6, y: y + side / 2 + 4, anchor: .end)
                let bottom = top + side * Double(count) + 14
                drawing.text("\(truth + 1)", x: left + side * (Double(truth) + 0.5), y: top - 6, anchor: .middle)
                drawing.text(
                    "\(truth + 1) \(Self.short(matrix.labels[truth]))", x: 12 + Double(truth % 3) * 220,
                    y: bottom + Double(truth / 3) * 12)
            }
            for answer in 0..<count {
                let number = matrix[truth: truth, answer: answer]
                guard isNumbered || number > 0 else { continue }
                let share = photos == 0 ? 0 : Double(number) / Double(photos)
                let x = left + side * Double(answer)
                drawing.rectangle(
                    x: x, y: y, width: side - 1, height: side - 1,
                    colour: Self.shade(share, isRight: truth == answer))
                if isNumbered, number > 0 {
                    drawing.text("\(number)", x: x + side / 2, y: y + side / 2 + 4, anchor: .middle)
                }
            }
        }
        return drawing.text
    }

    /// White to blue on the diagonal, white to orange elsewhere. Numbers stay readable on both.
    private static func shade(_ share: Double, isRight: Bool) -> String {
        let full = isRight ? (86, 180, 233) : (230, 159, 0)
        func level(_ value: Int) -> Int { 245 - Int(clamping: Double(245 - value) * share) }
        return "rgb(\(level(full.0)),\(level(full.1)),\(level(full.2)))"
    }

    private static func short(_ label: String) -> String { label.count > 26 ? label.prefix(25) + "…" : label }
}
