import Base

/// A rectangle with a line of text, to draw into a picture.
package struct Annotation: Sendable, Equatable {
    package let region: PictureRegion
    package let text: String
    /// Equal numbers give equal colours.
    package let colour: Int

    package init(region: PictureRegion, text: String, colour: Int) {
        self.region = region
        self.text = text
        self.colour = colour
    }

    /// The colours are dark enough for white text (contrast 4.5 : 1 and more, WCAG 2.2 §1.4.3).
    static let colours: [[UInt8]] = [
        [196, 30, 58], [0, 98, 155], [0, 114, 68], [120, 60, 160], [158, 84, 0], [0, 112, 122], [170, 0, 120],
    ]
}

extension PixelBuffer {
    /// A copy of the picture with rectangles and texts drawn into it, the last on top.
    package func annotated(_ annotations: [Annotation]) -> PixelBuffer {
        guard !annotations.isEmpty else { return self }
        var canvas = Canvas(self)
        for annotation in annotations { canvas.draw(annotation) }
        return canvas.picture
    }
}

/// A picture to draw into.
struct Canvas {
    private(set) var bytes: [UInt8]
    let width: Int
    let height: Int

    init(_ picture: PixelBuffer) {
        (bytes, width, height) = (picture.bytes, picture.width, picture.height)
    }

    var picture: PixelBuffer { PixelBuffer(width: width, height: height, bytes: bytes) }

    /// The size of lines and letters, which grows with the picture.
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

    /// Writes on a bar above the rectangle, or inside it if there is no room above, and moves the bar left to fit.
    private mutating func write(_ text: String, x: Int, y: Int, _ colour: [UInt8]) {
        let letters = text.uppercased().prefix(60)
        let size = (width: (letters.count * (Glyphs.width + 1) + 1) * unit, height: (Glyphs.height + 2) * unit)
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

    /// Fills a rectangle, as far as it is inside the picture.
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
