import Base
import Foundation

/// A drawing (SVG 1.1) to which elements are added. Lengths are in pixels.
struct SVGDocument {
    enum Anchor: String {
        case start, middle, end
    }

    let width: Double
    let height: Double
    private(set) var elements: [String] = []

    /// The whole file.
    var text: String {
        let size = "width=\"\(Self.number(width))\" height=\"\(Self.number(height))\""
        let box = "viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\""
        let head =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) \(box) font-family=\"sans-serif\" font-size=\"12\">"
        return ([head, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"] + elements + ["</svg>"])
            .joined(separator: "\n") + "\n"
    }

    mutating func line(
        from start: (x: Double, y: Double), to end: (x: Double, y: Double), colour: String, isDashed: Bool = false
    ) {
        let dash = isDashed ? " stroke-dasharray=\"6 4\"" : ""
        elements.append(
            "<line x1=\"\(Self.number(start.x))\" y1=\"\(Self.number(start.y))\" x2=\"\(Self.number(end.x))\" "
                + "y2=\"\(Self.number(end.y))\" stroke=\"\(colour)\"\(dash)/>")
    }

    mutating func polyline(_ points: [(x: Double, y: Double)], colour: String) {
        let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
        elements.append("<polyline points=\"\(list)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.5\"/>")
    }

    mutating func rectangle(x: Double, y: Double, width: Double, height: Double, colour: String) {
        elements.append(
            "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(max(0, width)))\" "
                + "height=\"\(Self.number(max(0, height)))\" fill=\"\(colour)\"/>")
    }

    mutating func text(_ text: String, x: Double, y: Double, anchor: Anchor = .start, isBold: Bool = false) {
        let weight = isBold ? " font-weight=\"bold\"" : ""
        elements.append(
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor.rawValue)\"\(weight)>"
                + Self.escaped(text) + "</text>")
    }

    /// At most two decimals, without trailing zeros.
    static func number(_ value: Double) -> String {
        let hundredths = value.rounded2
        return hundredths == hundredths.rounded() ? String(Int(clamping: hundredths)) : String(hundredths)
    }

    /// Text escaped for XML.
    static func escaped(_ text: String) -> String {
        text.replacing(scalar: "&", with: "&amp;").replacing(scalar: "<", with: "&lt;")
            .replacing(scalar: ">", with: "&gt;")
    }
}

/// Round numbers along an axis.
enum AxisTicks {
    /// Multiples of 1, 2 or 5 times a power of ten from 0 to at least `maximum`, about five of them.
    static func upTo(_ maximum: Double) -> [Double] {
        guard maximum > 0, maximum.isFinite else { return [0, 1] }
        let rough = maximum / 5
        let power = pow(10, log10(rough).rounded(.down))
        let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough * 0.999_999 } ?? rough
        let count = Int(clamping: (maximum / step - 1e-9).rounded(.up))
        return (0...max(1, count)).map { Double($0) * step }
    }

    /// At most six significant digits.
    static func label(_ value: Double) -> String { String(format: "%.6g", value) }
}
