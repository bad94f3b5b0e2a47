import Foundation
import Testing

@testable import Imaging

@Suite("Boxes drawn into a picture") struct AnnotationTests {
    private func canvas(width: Int = 200, height: Int = 100) -> Canvas {
        Canvas(PixelBuffer(width: width, height: height, bytes: [UInt8](repeating: 40, count: width * height * 3)))
    }

    @Test func `a frame of its colour, with the inside as it was`() {
        var canvas = canvas()
        canvas.draw(
            Annotation(region: PictureRegion(x: 0.25, y: 0.5, width: 0.5, height: 0.4), text: "", colour: 1))
        let picture = canvas.picture
        let colour = Annotation.colours[1]
        for (x, y) in [(50, 50), (149, 50), (50, 89), (149, 89), (100, 50), (50, 70)] {
            #expect(picture.pixel(x, y) == colour, "\(x), \(y)")
        }
        for (x, y) in [(100, 70), (49, 70), (150, 70), (100, 90)] {
            #expect(picture.pixel(x, y) == [40, 40, 40], "\(x), \(y)")
        }
    }

    @Test func `the text stands on a bar above, white and legible`() {
        var canvas = canvas()
        canvas.draw(
            Annotation(region: PictureRegion(x: 0.25, y: 0.5, width: 0.5, height: 0.4), text: "l", colour: 0))
        let picture = canvas.picture
        // An L of 5×7 dots, each one pixel, with its bar at the bottom. The left stroke comes first, then the bar.
        for row in 42..<49 { #expect(picture.pixel(51, row) == [255, 255, 255]) }
        for column in 51..<56 { #expect(picture.pixel(column, 48) == [255, 255, 255]) }
        #expect(picture.pixel(53, 44) == Annotation.colours[0])
    }

    @Test func `at the edges and beyond nothing breaks`() {
        for region in [
            PictureRegion.whole, PictureRegion(x: 0.99, y: 0.99, width: 0.5, height: 0.5),
            PictureRegion(x: 0, y: 0, width: 0, height: 0), PictureRegion(x: 1, y: 1, width: 0, height: 0),
        ] {
            for (width, height) in [(1, 1), (3, 200), (200, 3), (640, 480)] {
                var canvas = canvas(width: width, height: height)
                canvas.draw(Annotation(region: region, text: "Kissa 99.9%: Äänekäs “ß”", colour: -7))
                #expect(
                    canvas.picture.bytes
                        != PixelBuffer(
                            width: width, height: height, bytes: [UInt8](repeating: 40, count: width * height * 3)
                        ).bytes)
            }
        }
    }

    @Test func `every colour bears white text`() {
        for colour in Annotation.colours {
            // Relative luminance as in WCAG 2.2.
            let linear = colour.map { level -> Double in
                let share = Double(level) / 255
                return share <= 0.04045 ? share / 12.92 : power((share + 0.055) / 1.055, 2.4)
            }
            let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
            #expect(1.05 / (luminance + 0.05) >= 4.5, "\(colour)")
        }
    }

    private func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
}
