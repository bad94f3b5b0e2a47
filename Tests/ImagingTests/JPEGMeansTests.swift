import CTurboJPEG
import Glibc
import Testing

@testable import Imaging

@Suite("A JPEG at an eighth of its size", .serialized) struct JPEGMeansTests {
    /// The picture at 1/8 from libjpeg-turbo.
    func reference(_ jpeg: [UInt8], width: Int, height: Int) throws -> [UInt8] {
        let handle = try #require(tjInitDecompress())
        defer { tjDestroy(handle) }
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        let status = tjDecompress2(
            handle, jpeg, UInt(jpeg.count), &pixels, Int32(width), Int32(width * 3), Int32(height),
            Int32(TJPF_RGB.rawValue), 0)
        #expect(status == 0)
        return pixels
    }

    /// Encodes with a setting of libjpeg-turbo that has no other interface.
    func encode(
        _ picture: PixelBuffer, _ sampling: TJSAMP, setting: String? = nil, quality: Int = 90
    ) throws -> [UInt8] {
        if let setting { setenv(setting, "1", 1) }
        defer { if let setting { unsetenv(setting) } }
        return try JPEGEncoder.encode(picture, quality: quality, sampling: sampling)
    }

    func grey(width: Int, height: Int) -> PixelBuffer {
        let colours = Synthetic.picture(width: width, height: height).bytes
        return PixelBuffer(
            width: width, height: height,
            bytes: stride(from: 0, to: colours.count, by: 3).flatMap { [colours[$0], colours[$0], colours[$0]] })
    }

    @Test(
        arguments: [TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_GRAY, TJSAMP_440], [nil, "TJ_RESTART", "TJ_OPTIMIZE"])
    func `is the same bits as libjpeg-turbo's`(sampling: TJSAMP, setting: String?) throws {
        for (width, height) in [(64, 48), (203, 151), (8, 8), (1, 1), (17, 300)] {
            for quality in [20, 90, 100] {
                // Subsampled colour is read differently. In a grey picture this makes no difference.
                let picture =
                    sampling == TJSAMP_444
                    ? Synthetic.picture(width: width, height: height) : grey(width: width, height: height)
                let jpeg = try encode(picture, sampling, setting: setting, quality: quality)
                let means = try #require(JPEGMeans(jpeg, header: JPEGHeader(parsing: jpeg)))
                let expected = try reference(jpeg, width: (width + 7) / 8, height: (height + 7) / 8)
                #expect(means.pixels() == expected, "\(width)×\(height), quality \(quality)")
            }
        }
    }

    @Test(arguments: [TJSAMP_422, TJSAMP_440, TJSAMP_420])
    func `has the colours where they belong`(sampling: TJSAMP) throws {
        let small = Synthetic.picture(width: 16, height: 12)
        let picture = DecodedPixels(bytes: small.bytes, width: 16, height: 12, spanWidth: 16, spanHeight: 12)
            .resized(to: ResizePlan(width: 480, height: 360))
        let jpeg = try encode(picture, sampling)
        let pixels = try #require(JPEGMeans(jpeg, header: JPEGHeader(parsing: jpeg))?.pixels())
        let expected = try reference(jpeg, width: 60, height: 45)
        let distance = zip(pixels, expected).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(distance < pixels.count * 3, "\(Double(distance) / Double(pixels.count)) levels apart on average")
    }

    @Test func `leaves unusual and incomplete files to libjpeg-turbo`() throws {
        let jpeg = try encode(Synthetic.picture(width: 64, height: 48), TJSAMP_420)
        let header = try JPEGHeader(parsing: jpeg)
        #expect(JPEGMeans(jpeg, header: header)?.pixels() != nil)
        #expect(JPEGMeans(Array(jpeg.dropLast(2)), header: header)?.pixels() == nil)
        let progressive = try encode(Synthetic.picture(width: 64, height: 48), TJSAMP_420, setting: "TJ_PROGRESSIVE")
        let other = try JPEGHeader(parsing: progressive)
        #expect(other.isProgressive && JPEGMeans(progressive, header: other)?.pixels() == nil)
    }

    /// Reading stays within the data, whatever the bytes are. The address sanitizer would detect a violation.
    @Test func `ends whatever the bits are`() throws {
        let jpeg = try encode(Synthetic.picture(width: 120, height: 90), TJSAMP_420)
        let header = try JPEGHeader(parsing: jpeg)
        var state: UInt64 = 7
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var answers = 0
        for _ in 0..<2000 {
            var damaged = jpeg
            for _ in 0...random(4) { damaged[2 + random(damaged.count - 2)] = UInt8(random(256)) }
            let parsed = (try? JPEGHeader(parsing: damaged)) ?? header
            guard parsed.width * parsed.height < 1_000_000, let means = JPEGMeans(damaged, header: parsed) else {
                continue
            }
            if let pixels = means.pixels() {
                #expect(pixels.count == (parsed.width + 7) / 8 * ((parsed.height + 7) / 8) * 3)
                answers += 1
            }
        }
        #expect(answers > 100)
    }
}
