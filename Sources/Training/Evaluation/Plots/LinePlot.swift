import Base

/// Several series of values over their index, in one picture.
package struct LinePlot: Sendable, Equatable {
    /// One line of the picture.
    package struct Series: Sendable, Equatable {
        package let name: String
        package let values: [Double]
    }

    /// A dashed line across the picture.
    package struct Limit: Sendable, Equatable {
        package let name: String
        package let value: Double
    }

    package let title: String
    package let xLabel: String
    package let yLabel: String
    package let series: [Series]
    package var limit: Limit?

    /// A drawing of 760 × 400 pixels, taller if many lines have names.
    package var svg: String {
        let area = (left: 60.0, top: 40.0, right: 560.0, bottom: 350.0)
        var drawing = SVGDocument(width: 760, height: max(400, area.top + Double(series.count + 1) * 18 + 20))
        drawing.text(title, x: area.left, y: 24, isBold: true)

        let largest = max(series.flatMap(\.values).max() ?? 0, limit?.value ?? 0)
        let ticks = AxisTicks.upTo(largest)
        let top = ticks.last ?? 1
        func y(_ value: Double) -> Double { area.bottom - (area.bottom - area.top) * value / top }
        for tick in ticks {
            drawing.line(from: (area.left, y(tick)), to: (area.right, y(tick)), colour: "#dddddd")
            drawing.text(AxisTicks.label(tick), x: area.left - 6, y: y(tick) + 4, anchor: .end)
        }
        drawing.text(yLabel, x: 8, y: area.top - 6)

        let last = max(1, (series.map(\.values.count).max() ?? 0) - 1)
        func x(_ number: Int) -> Double {
            area.left + (area.right - area.left) * Double(number) / Double(last)
        }
        // Values lie at whole numbers only.
        for tick in AxisTicks.upTo(Double(last)).compactMap(Int.init(exactly:)) where tick <= last {
            drawing.text("\(tick)", x: x(tick), y: area.bottom + 16, anchor: .middle)
        }
        drawing.text(xLabel, x: (area.left + area.right) / 2, y: area.bottom + 34, anchor: .middle)

        for (index, line) in series.enumerated() {
            let colour = PlotColours.colour(index)
            drawing.polyline(line.values.enumerated().map { (x($0), y($1)) }, colour: colour)
            let place = area.top + Double(index) * 18
            drawing.rectangle(x: area.right + 16, y: place, width: 12, height: 12, colour: colour)
            drawing.text(line.name, x: area.right + 34, y: place + 11)
        }
        if let limit {
            drawing.line(
                from: (area.left, y(limit.value)), to: (area.right, y(limit.value)), colour: "#555555", isDashed: true)
            drawing.text(limit.name, x: area.right - 4, y: y(limit.value) - 5, anchor: .end)
        }
        return drawing.text
    }
}

/// Colours that colour-blind people can distinguish (Okabe and Ito 2008).
enum PlotColours {
    private static let all = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"]

    static func colour(_ index: Int) -> String { all[index % all.count] }
}
