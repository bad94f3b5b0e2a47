import Testing

@testable import Imaging

@Suite("Parts of a picture") struct RegionTests {
    /// A picture of 400×200 pixels. Red encodes the column in hundreds, green the row in fifties.
    private func file() -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<200 { for x in 0..<400 { bytes += [UInt8(x / 100 * 60), UInt8(y / 50 * 60), 7] } }
        return Synthetic.bitmap(PixelBuffer(width: 400, height: 200, bytes: bytes))
    }

    private func pictures(_ requests: [DecodeRequest], of file: [UInt8]) throws -> [DecodedPicture] {
        let frame = try Frame(file, for: requests)
        return requests.map(frame.picture)
    }

    @Test func `a part is cut out at its own scale, and its place is known`() throws {
        let requests = [
            DecodeRequest(
                width: 50, height: 50, crop: .fill, region: PictureRegion(x: 0.5, y: 0.25, width: 0.25, height: 0.5)),
            DecodeRequest(width: 200, height: 100, crop: .fit),
        ]
        let pictures = try pictures(requests, of: file())
        let part = pictures[0]
        // Columns 200 to 299, rows 50 to 149.
        #expect(part.pixels.pixel(25, 10) == [120, 60, 7] && part.pixels.pixel(25, 40) == [120, 120, 7])
        #expect(part.placement.x(0) == 0.5 && part.placement.x(50) == 0.75)
        #expect(part.placement.y(0) == 0.25 && part.placement.y(50) == 0.75)
        #expect(pictures[1].pixels == (try ImageSource(file()).pixels(requests[1])))
        #expect(pictures[1].placement.x(200) == 1 && pictures[1].placement.y(50) == 0.5)
    }

    @Test func `a letterbox has the padding where it is asked for`() throws {
        var request = DecodeRequest(
            width: 100, height: 100, crop: .fit, padding: Padding(level: 114, anchor: .topLeft))
        let corner = try pictures([request], of: file())[0]
        #expect(corner.pixels.pixel(5, 3) == [0, 0, 7] && corner.pixels.pixel(5, 51) == [114, 114, 114])
        #expect(corner.placement.y(50) == 1 && corner.placement.x(100) == 1)
        request.padding.anchor = .center
        let centred = try pictures([request], of: file())[0]
        #expect(centred.pixels.pixel(5, 3) == [114, 114, 114] && centred.pixels.pixel(5, 28) == [0, 0, 7])
        #expect(centred.placement.y(25) == 0 && centred.placement.y(75) == 1)
    }

    @Test func `a part at the edge stays inside`() throws {
        let region = PictureRegion(x: 0.9, y: 0.9, width: 0.1, height: 0.1)
        let request = DecodeRequest(width: 32, height: 32, crop: .center, region: region)
        let picture = try pictures([request], of: file())[0]
        #expect(picture.pixels.width == 32 && picture.pixels.pixel(31, 31) == [180, 180, 7])
        #expect(picture.placement.x(32) <= 1 && picture.placement.y(32) <= 1)
    }

    @Test(arguments: [(1, 1), (2, 900), (900, 2), (3, 5)])
    func `photos of odd shapes give pictures of the wanted shape`(width: Int, height: Int) throws {
        let file = Synthetic.bitmap(Synthetic.picture(width: width, height: height))
        let regions = [
            PictureRegion.whole, PictureRegion(x: 0, y: 0.4285, width: 0.5715, height: 0.5715),
            PictureRegion(x: 0.9999, y: 0.9999, width: 0.0001, height: 0.0001),
            PictureRegion(x: 0, y: 0, width: 0, height: 0), PictureRegion(x: 1, y: 1, width: 1, height: 1),
        ]
        let requests = CropPolicy.allCases.flatMap { crop in
            regions.map { DecodeRequest(width: 40, height: 30, crop: crop, region: $0) }
        }
        let pictures = try pictures(requests, of: file)
        #expect(pictures.count == requests.count)
        #expect(pictures.allSatisfy { $0.pixels.width == 40 && $0.pixels.height == 30 })
        #expect(pictures.allSatisfy { $0.placement.wholeWidth >= 1 && $0.placement.wholeHeight >= 1 })
    }

    @Test(.enabled(if: SharedFiles.areThere, SharedFiles.hint), arguments: 2...8)
    func `the same part of the upright scene, however it is stored`(orientation: Int) throws {
        let request = DecodeRequest(
            width: 64, height: 64, crop: .center, region: PictureRegion(x: 0.1, y: 0.3, width: 0.4, height: 0.5))
        let files = try [1, orientation].map {
            try SharedFiles.bytes("conformance/images/exif/Landscape_\($0).jpg")
        }
        let upright = try pictures([request], of: files[0])[0]
        let turned = try pictures([request], of: files[1])[0]
        #expect(upright.placement == turned.placement)
        #expect(turned.pixels.distance(to: upright.pixels) < 2)
    }

    @Test func `a square around a box keeps inside and is square in pixels`() {
        let box = PictureRegion(x: 0.4, y: 0.1, width: 0.1, height: 0.4)
        let square = box.square(margin: 0.1, inWidth: 400, height: 200)
        // The longer side has 80 pixels, and 96 with the margin.
        #expect(abs(square.width * 400 - 96) < 1e-9 && abs(square.height * 200 - 96) < 1e-9)
        #expect(abs(square.x + square.width / 2 - 0.45) < 1e-9 && abs(square.y + square.height / 2 - 0.3) < 1e-9)
        let corner = PictureRegion(x: 0.95, y: 0, width: 0.05, height: 0.5).square(
            margin: 0.1, inWidth: 400, height: 200)
        #expect(abs(corner.right - 1) < 1e-9 && corner.y == 0)
        let wide = PictureRegion(x: 0, y: 0.2, width: 1, height: 0.5).square(margin: 0.1, inWidth: 400, height: 200)
        #expect(wide.width == 1 && wide.height == 1 && wide.x == 0 && wide.y == 0)
    }
}
