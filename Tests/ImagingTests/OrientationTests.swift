import Testing

@testable import Imaging

@Suite("Orientation") struct OrientationTests {
    /// The stored pixel (column, row) at each upright corner, from the definition in CIPA DC-008 §4.6.4.
    @Test(arguments: Orientation.allCases)
    func `turns every corner to its place`(orientation: Orientation) {
        // The stored rows are A B C and D E F.
        let stored = PixelBuffer(width: 3, height: 2, bytes: "ABCDEF".utf8.flatMap { [$0, $0, $0] })
        let expected: [Orientation: String] = [
            .up: "ABC/DEF", .upMirrored: "CBA/FED", .down: "FED/CBA", .downMirrored: "DEF/ABC",
            .leftMirrored: "AD/BE/CF", .right: "DA/EB/FC", .rightMirrored: "FC/EB/DA", .left: "CF/BE/AD",
        ]
        let upright = orientation.upright(stored)
        let rows = (0..<upright.height).map { row in
            String(decoding: (0..<upright.width).map { upright.pixel($0, row)[0] }, as: UTF8.self)
        }
        #expect(rows.joined(separator: "/") == expected[orientation])
    }

    @Test(arguments: 1...8, [true, false])
    func `is read from EXIF of either byte order`(value: Int, bigEndian: Bool) throws {
        let jpeg = try JPEGEncoder.encode(Synthetic.picture(width: 32, height: 16), quality: 90)
        let info = try ImageSource(
            Synthetic.tagged(jpeg, orientation: UInt8(value), bigEndian: bigEndian)
        ).info()
        #expect(info.orientation.rawValue == value)
        #expect(info.storedWidth == 32 && info.storedHeight == 16)
        #expect(info.width == (value >= 5 ? 16 : 32))
    }

    @Test(arguments: [UInt8(0), 9, 255])
    func `outside 1 to 8 counts as upright`(value: UInt8) throws {
        let jpeg = try JPEGEncoder.encode(Synthetic.picture(width: 32, height: 16), quality: 90)
        #expect(try ImageSource(Synthetic.tagged(jpeg, orientation: value)).info().orientation == .up)
    }

    @Test func `broken EXIF counts as none`() {
        let good: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
        #expect(EXIF.orientation(inTIFF: good[...]) == .right)
        for length in 0..<18 { #expect(EXIF.orientation(inTIFF: good[..<length]) == nil) }
        for index in good.indices {
            var broken = good
            broken[index] = 0xFF
            _ = EXIF.orientation(inTIFF: broken[...])
        }
    }

    @Test(.enabled(if: SharedFiles.areThere, SharedFiles.hint), arguments: CropPolicy.allCases)
    func `Landscape_0 to 8 all show the same scene`(crop: CropPolicy) throws {
        let request = DecodeRequest(width: 96, height: 96, crop: crop)
        let uprightSource = try ImageSource(SharedFiles.bytes("conformance/images/exif/Landscape_1.jpg"))
        let upright = (pixels: try uprightSource.pixels(request), info: uprightSource.info())
        #expect(upright.info.width == 1800 && upright.info.height == 1200)
        for number in 0...8 {
            let bytes = try SharedFiles.bytes("conformance/images/exif/Landscape_\(number).jpg")
            let source = try ImageSource(bytes)
            let (pixels, info) = (try source.pixels(request), source.info())
            #expect(info.orientation.rawValue == max(1, number))
            #expect(info.width == 1800 && info.height == 1200)
            #expect(pixels.distance(to: upright.pixels) < 2, "Landscape_\(number) differs")
        }
    }
}
