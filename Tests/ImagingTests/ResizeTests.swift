import Testing

@testable import Imaging

/// Reference values: Pillow 13, `Image.resize(…, Image.BILINEAR)` of the same synthetic picture.
@Suite("Resizing gives the same bits as Pillow") struct ResizeTests {
    struct Sample: Sendable {
        let x: Int
        let y: Int
        let level: [Int]
    }

    func check(
        _ pixels: PixelBuffer, _ samples: [Sample], sum: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for sample in samples {
            let found = pixels.pixel(sample.x, sample.y)
            #expect(
                found.map(Int.init) == sample.level,
                "(\(sample.x), \(sample.y)) is \(found), Pillow says \(sample.level)", sourceLocation: sourceLocation)
        }
        #expect(pixels.bytes.reduce(0) { $0 + Int($1) } == sum, sourceLocation: sourceLocation)
    }

    func decode(width: Int, height: Int, crop: CropPolicy) throws -> PixelBuffer {
        let file = Synthetic.bitmap(Synthetic.picture(width: width, height: height))
        return try ImageSource(file).pixels(DecodeRequest(width: 192, height: 192, crop: crop))
    }

    @Test func `short side to size, centre crop`() throws {
        let samples = [
            Sample(x: 0, y: 0, level: [190, 2, 71]), Sample(x: 1, y: 0, level: [196, 3, 229]),
            Sample(x: 95, y: 95, level: [164, 73, 206]), Sample(x: 191, y: 191, level: [145, 188, 230]),
            Sample(x: 40, y: 150, level: [204, 35, 20]), Sample(x: 150, y: 7, level: [58, 58, 26]),
        ]
        check(try decode(width: 500, height: 375, crop: .center), samples, sum: 13_929_431)
    }

    @Test func `both sides to size`() throws {
        let samples = [
            Sample(x: 0, y: 0, level: [4, 0, 230]), Sample(x: 95, y: 95, level: [163, 69, 174]),
            Sample(x: 191, y: 191, level: [75, 97, 230]), Sample(x: 40, y: 150, level: [96, 133, 39]),
        ]
        check(try decode(width: 500, height: 375, crop: .fill), samples, sum: 13_902_423)
    }

    @Test func `long side to size, black above and below`() throws {
        let pixels = try decode(width: 500, height: 375, crop: .fit)
        let samples = [
            Sample(x: 0, y: 24, level: [4, 0, 230]), Sample(x: 95, y: 119, level: [225, 83, 148]),
            Sample(x: 191, y: 167, level: [75, 86, 230]), Sample(x: 0, y: 0, level: [0, 0, 0]),
            Sample(x: 100, y: 23, level: [0, 0, 0]), Sample(x: 100, y: 168, level: [0, 0, 0]),
        ]
        check(pixels, samples, sum: 10_427_160)
    }

    @Test func `enlarging a small photo`() throws {
        let samples = [
            Sample(x: 0, y: 0, level: [14, 0, 230]), Sample(x: 95, y: 95, level: [72, 16, 20]),
            Sample(x: 191, y: 191, level: [132, 62, 20]), Sample(x: 40, y: 150, level: [55, 15, 23]),
        ]
        check(try decode(width: 40, height: 30, crop: .center), samples, sum: 7_918_450)
    }

    @Test(arguments: [(1, 1), (1, 700), (3000, 1), (2, 5000)])
    func `odd shapes end in a picture`(width: Int, height: Int) throws {
        for crop in CropPolicy.allCases {
            let pixels = try decode(width: width, height: height, crop: crop)
            #expect(pixels.width == 192 && pixels.height == 192)
        }
    }

    @Test func `a reduced-size decode looks like a full one`() throws {
        let source = Synthetic.picture(width: 64, height: 48)
        let whole = DecodedPixels(bytes: source.bytes, width: 64, height: 48, spanWidth: 64, spanHeight: 48)
        let smooth = whole.resized(to: ResizePlan(width: 1920, height: 1440))
        let jpeg = try JPEGEncoder.encode(smooth, quality: 95)
        let header = try JPEGHeader(parsing: jpeg)
        let full = try JPEGDecoder.decode(jpeg, header: header, minimumWidth: 1920, minimumHeight: 1440)
        let reduced = try JPEGDecoder.decode(jpeg, header: header, minimumWidth: 256, minimumHeight: 192)
        #expect(full.width == 1920)
        #expect(reduced.width == 480 && reduced.height == 360)
        let plan = ResizePlan(width: 256, height: 192)
        #expect(full.resized(to: plan).distance(to: reduced.resized(to: plan)) < 1)
    }
}
