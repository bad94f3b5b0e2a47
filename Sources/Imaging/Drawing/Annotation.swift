import Base

/// A rectangle with a line of text, to be drawn into a picture.
package struct Annotation: Sendable, Equatable {
    package let region: PictureRegion
    package let text: String
    /// Which of the colours it has; the same number is the same colour.
    package let colour: Int

    package init(region: PictureRegion, text: String, colour: Int) {
        self.region = region
        self.text = text
        self.colour = colour
    }

    /// Dark enough for white text on them (contrast 4.5 : 1 and more, WCAG 2.2 §1.4.3).
    static let colours: [[UInt8]] = [
        [196, 30, 58], [0, 98, 155], [0, 114, 68], [120, 60, 160], [158, 84, 0], [0, 112, 122], [170, 0, 120],
    ]
}

extension PixelBuffer {
    /// The picture with rectangles and texts drawn into it, the last on top.
    package func annotated(_ annotations: [Annotation]) -> PixelBuffer {
        guard !annotations.isEmpty else { return self }
        var canvas = Canvas(self)
        for annotation in annotations { canvas.draw(annotation) }
        return canvas.picture
    }
}

/// A picture that is drawn into.
struct Canvas {
    private(set) var bytes: [UInt8]
    let width: Int
    let height: Int

    init(_ picture: PixelBuffer) {
        (bytes, width, height) = (picture.bytes, picture.width, picture.height)
    }

    var picture: PixelBuffer { PixelBuffer(width: width, height: height, bytes: bytes) }

    /// Lines and letters grow with the picture: 2 pixels for one of 500, 6 for one of 1,600.
    private var unit: Int { max(1, min(width, height) / 200) }

    mutating func draw(_ annotation: Annotation) {
        let colour = Annotation.colours[abs(annotation.colour % Annotation.colours.count)]
        let columns = pixels(annotation.region.x, annotation.region.right, of: width)
        let rows = pixels(annotation.region.y, annotation.region.bottom, of: height)
        let line = unit + 1
        fill(columns, rows.lowerBound..<rows.lowerBound + line, colour)
        fill(columns, rows.upperBound - line..<rows.upperBound, colour)
        fill(columns.lowerBound..<columns.lowerBound + line, rows, colour)
        fill(columns.upperBound - line..<columns.upperBound, rows, colour)
        write(annotation.text, x: columns.lowerBound, y: rows.lowerBound, colour)
    }

    /// On a bar above the place, or below its edge where there is no room above; moved left where it would not fit.
    private mutating func write(_ text: String, x: Int, y: Int, _ colour: [UInt8]) {
        let letters = text.uppercased().prefix(60)
        let size = (
            width: (letters.count * (Glyphs.width + 1) + 1) * unit, height: (Glyphs.height + 2) * unit
        )
        let left = max(0, min(x, width - size.width))
        let top = y >= size.height ? y - size.height : y
        fill(left..<left + size.width, top..<top + size.height, colour)
        for (index, letter) in letters.enumerated() {
            let start = left + (index * (Glyphs.width + 1) + 1) * unit
            for (row, dots) in Glyphs.rows(of: letter).enumerated() {
                for column in 0..<Glyphs.width where dots & (16 >> UInt8(column)) != 0 {
                    let (x, y) = (start + column * unit, top + (row + 1) * unit)
                    fill(x..<x + unit, y..<y + unit, [255, 255, 255])
                }
            }
        }
    }

    private func pixels(_ start: Double, _ end: Double, of count: Int) -> Range<Int> {
        let first = min(max(Int(clamping: (start * Double(count)).rounded()), 0), count - 1)
        return first..<max(first + 1, min(count, Int(clamping: (end * Double(count)).rounded())))
    }

    /// What lies outside of the picture is left out.
    private mutating func fill(_ columns: Range<Int>, _ rows: Range<Int>, _ colour: [UInt8]) {
        let columns = columns.clamped(to: 0..<width)
        for row in rows.clamped(to: 0..<height) {
            for column in columns {
                let index = (row * width + column) * 3
                bytes[index] = colour[0]
                bytes[index + 1] = colour[1]
                bytes[index + 2] = colour[2]
            }
        }
    }
}
