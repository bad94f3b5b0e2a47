import Base

/// Horizontal bars, each with its name and value.
package struct BarPlot: Sendable, Equatable {
    package struct Bar: Sendable, Equatable {
        package let name: String
        package let value: Double
    }

    package let title: String
    package let unit: String
    package let bars: [Bar]

    /// A drawing 760 pixels wide, with 28 pixels of height for each bar.
    package var svg: String {
        let left = 220.0
        let right = 660.0
        var drawing = SVGDocument(width: 760, height: 56 + Double(bars.count) * 28)
        drawing.text(title, x: 12, y: 24, isBold: true)
        let top = AxisTicks.upTo(bars.map(\.value).max() ?? 0).last ?? 1
        for (index, bar) in bars.enumerated() {
            let y = 44 + Double(index) * 28
            let width = (right - left) * max(0, bar.value) / top
            drawing.text(bar.name, x: left - 8, y: y + 14, anchor: .end)
            drawing.rectangle(x: left, y: y, width: width, height: 20, colour: PlotColours.colour(index))
            let value = bar.value.rounded1
            drawing.text("\(SVGDocument.number(value)) \(unit)", x: left + width + 6, y: y + 14)
        }
        return drawing.text
    }
}
