import Base
import Glibc
import Testing

@testable import Imaging

@Suite("Decoding") struct DecoderTests {
    let request = DecodeRequest(width: 64, height: 64)

    func failure(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) -> ImagingError? {
        do throws(ImagingError) {
            _ = try ImageSource(bytes, limits: limits).pixels(request)
            return nil
        } catch {
            return error
        }
    }

    func jpeg(width: Int = 100, height: Int = 80) throws -> [UInt8] {
        try JPEGEncoder.encode(Synthetic.picture(width: width, height: height), quality: 90)
    }

    @Test func `empty files, text and foreign formats are distinguished`() {
        #expect(failure([]) == .empty)
        #expect(failure(Array("hello, world".utf8)) == .notAnImage)
        #expect(failure([0xFF]) == .notAnImage)
        #expect(failure(Array("%PDF-1.7 …".utf8)) == .unsupportedFormat("PDF"))
        #expect(failure(Array("<svg xmlns=…".utf8)) == .unsupportedFormat("SVG or XML"))
    }

    @Test func `too many bytes are refused unread`() {
        let error = failure([UInt8](repeating: 0xFF, count: 1001), limits: ImageLimits(maximumBytes: 1000))
        #expect(error == .tooManyBytes(count: 1001, limit: 1000))
    }

    @Test func `a JPEG cut anywhere is an error`() throws {
        let whole = try jpeg()
        #expect(failure(whole) == nil)
        for length in stride(from: 3, to: whole.count - 2, by: 37) {
            #expect(failure(Array(whole.prefix(length))) == .truncated, "cut to \(length) of \(whole.count) bytes")
        }
    }

    @Test func `a JPEG that lacks only the marker of its end is decoded`() throws {
        let whole = try jpeg()
        let pixels = try ImageSource(whole).pixels(request)
        for missing in 1...2 { #expect(try ImageSource(whole.dropLast(missing)).pixels(request) == pixels) }
    }

    @Test func `bombs are refused by their header`() throws {
        // The JPEG's frame header states 50,000 × 50,000 pixels.
        var bomb = try jpeg()
        let frame = try #require(bomb.indices.first { bomb[$0] == 0xFF && bomb[$0 + 1] == 0xC0 })
        bomb.replaceSubrange(frame + 5..<frame + 9, with: [0xC3, 0x50, 0xC3, 0x50])
        #expect(failure(bomb) == .tooManyPixels(width: 50_000, height: 50_000, limit: 120_000_000))

        var bitmap = Synthetic.bitmap(Synthetic.picture(width: 4, height: 4))
        bitmap.replaceSubrange(18..<26, with: Synthetic.little(50_000, 4) + Synthetic.little(50_000, 4))
        #expect(failure(bitmap) == .tooManyPixels(width: 50_000, height: 50_000, limit: 40_000_000))
    }

    @Test func `a decoder that takes too long is stopped`() throws {
        let picture = Synthetic.tiff(width: 5_500, height: 5_500, level: 77)
        #expect(try ImageSource(picture).pixels(request).pixel(9, 9) == [77, 77, 77])
        var limits = ImageLimits()
        limits.maximumSeconds = 1e-6
        #expect(failure(picture, limits: limits) == .tooSlow(seconds: 1e-6))
    }

    @Test func `a JPEG of hundreds of scans is refused before they are walked`() throws {
        setenv("TJ_PROGRESSIVE", "1", 1)
        defer { unsetenv("TJ_PROGRESSIVE") }
        let progressive = try jpeg()
        #expect(failure(progressive) == nil)
        let start = try JPEGHeader(parsing: progressive).scanStart
        #expect(JPEGHeader.scans(in: progressive, from: start) == 10)
        // A film or a second picture behind the photo, as telephones append it.
        #expect(JPEGHeader.scans(in: progressive + progressive, from: start) == 10)
        // What looks like the end of the picture may lie inside a segment.
        let remark: [UInt8] = [0xFF, 0xFE, 0, 4, 0xFF, 0xD9, 0xFF, 0xC4]
        let scans = Array(progressive[start...]).replacing([0xFF, 0xC4], with: remark)
        #expect(JPEGHeader.scans(in: progressive.prefix(start) + scans, from: start) == 10)
        // The last scan is repeated many times, as in a hostile file with endless refinement.
        let scan = try #require(progressive.indices.last { progressive[$0] == 0xFF && progressive[$0 + 1] == 0xDA })
        var bomb = Array(progressive[..<scan])
        for _ in 0..<400 { bomb += progressive[scan..<progressive.count - 2] }
        bomb += [0xFF, 0xD9]
        let frame = try #require(bomb.indices.first { bomb[$0] == 0xFF && bomb[$0 + 1] == 0xC2 })
        bomb.replaceSubrange(frame + 5..<frame + 9, with: [0x0F, 0xA0, 0x0F, 0xA0])
        #expect(failure(bomb) == .corrupt("a JPEG of 16000000 pixels in 409 scans"))
    }

    @Test func `a PNG whose chunk announces a gigabyte is refused before libpng sees it`() {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header: [UInt8] = [0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(failure(signature + header + [0x7F, 0, 0, 0] + Array("tEXt".utf8) + [0, 0, 0, 0]) == .truncated)
    }

    @Test func `an error is about its own photo, not about an earlier one`() throws {
        let profile = Array("ICC_PROFILE\0\u{1}\u{1}".utf8) + [UInt8](repeating: 0, count: 500)
        var photo = try jpeg()
        photo.insert(contentsOf: [0xFF, 0xE2, 2, UInt8(profile.count + 2 - 512)] + profile, at: 2)
        #expect(failure(photo) == nil)
        let screen: [UInt8] = [16, 0, 16, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let cut = Array("GIF89a".utf8) + screen + [0x2C, 0, 0, 0, 0, 16, 0, 16, 0, 0, 2]
        let error = failure(cut).map { "\($0)" } ?? ""
        #expect(error.contains("gif"), "\(error)")
    }

    @Test func `the checksum is that of the bytes`() throws {
        let bytes = try jpeg()
        #expect(try ImageSource(bytes).info().sha256 == ContentDigest(of: bytes))
    }

    @Test func `an sRGB profile is ignored and another is not`() {
        func profile(_ description: String, space: String = "RGB ") -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 128)
            bytes.replaceSubrange(16..<20, with: space.utf8)
            let text = Array("desc\0\0\0\0\0\0\0\u{14}".utf8) + Array(description.utf8)
            return bytes + [0, 0, 0, 1] + Array("desc".utf8) + [0, 0, 0, 144, 0, 0, 0, UInt8(text.count)] + text
        }
        #expect(ColourProfile.isSRGB(profile("sRGB IEC61966-2.1")))
        #expect(!ColourProfile.isSRGB(profile("Display P3")))
        #expect(!ColourProfile.isSRGB(profile("sRGB-like grey", space: "GRAY")))
        for length in 0..<150 { #expect(!ColourProfile.isSRGB(Array(profile("sRGB").prefix(length)))) }
    }

    @Test func `a profile for another number of colours is ignored`() throws {
        // A profile of grey with a plain curve, in a photo with three colours.
        let curve = Array("curv".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]
        let white = Array("XYZ ".utf8) + [0, 0, 0, 0, 0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D]
        var profile = [0, 0, 0, 188] + Array("lcms".utf8) + [2, 0x10, 0, 0] + Array("mntrGRAYXYZ ".utf8)
        profile += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        profile += white[8...] + [UInt8](repeating: 0, count: 48)
        profile += [0, 0, 0, 2] + Array("wtpt".utf8) + [0, 0, 0, 156, 0, 0, 0, 20]
        profile += Array("kTRC".utf8) + [0, 0, 0, 176, 0, 0, 0, 12] + white + curve
        #expect(profile.count == 188)
        let marked = Array("ICC_PROFILE\0\u{1}\u{1}".utf8) + profile
        var photo = try jpeg()
        photo.insert(contentsOf: [0xFF, 0xE2, 0, UInt8(marked.count + 2)] + marked, at: 2)
        #expect(failure(photo) == nil)
        let (own, plain) = (try ImageSource(photo).pixels(request), try ImageSource(jpeg()).pixels(request))
        #expect(zip(own.bytes, plain.bytes).allSatisfy { abs(Int($0) - Int($1)) < 12 })
    }

    @Test(arguments: ["GRAY", "CMYK", "Lab ", "XYZ "])
    func `the profile of another space is ignored`(space: String) throws {
        let profile = [UInt8](repeating: 0, count: 16) + Array(space.utf8) + [UInt8](repeating: 0, count: 112)
        let marked = Array("ICC_PROFILE\0\u{1}\u{1}".utf8) + profile
        var photo = try jpeg()
        photo.insert(contentsOf: [0xFF, 0xE2, 0, UInt8(marked.count + 2)] + marked, at: 2)
        try photo.withUnsafeBufferPointer { photo in
            let image = try VipsDecoder.open(photo, format: .jpeg, limits: ImageLimits()).image
            #expect(image.bytes(of: "icc-profile-data") == profile && !image.hasFittingProfile)
        }
    }

    @Test func `a TIFF in YCbCr that would get wrong colours is refused`() {
        func tiff(_ compression: Int) -> [UInt8] {
            func entry(_ tag: Int, _ value: Int) -> [UInt8] {
                Synthetic.little(tag, 2) + Synthetic.little(4, 2) + Synthetic.little(1, 4) + Synthetic.little(value, 4)
            }
            return Synthetic.tiff(width: 8, height: 8, level: 77).replacing(entry(262, 1), with: entry(262, 6))
                .replacing(entry(259, 1), with: entry(259, compression))
        }
        let refusal = ImagingError.unsupportedFormat("A TIFF in YCbCr without JPEG compression")
        for compression in [1, 5, 8] { #expect(failure(tiff(compression)) == refusal) }
        #expect(failure(tiff(7)) != refusal)
    }

    @Test func `an arithmetically coded JPEG is stored in a form that browsers read`() throws {
        setenv("TJ_ARITHMETIC", "1", 1)
        let photo = try jpeg()
        unsetenv("TJ_ARITHMETIC")
        #expect(try JPEGHeader(parsing: photo).isArithmetic)
        for keepsMetadata in [false, true] {
            let stored = try PhotoEncoder().storedCopy(of: photo, keepingMetadata: keepsMetadata)
            #expect(try !JPEGHeader(parsing: stored).isArithmetic)
            #expect(try ImageSource(stored).pixels(request).distance(to: ImageSource(photo).pixels(request)) < 6)
        }
    }

    @Test func `a photo is stored upright, bounded and without metadata`() throws {
        let tagged = Synthetic.tagged(try jpeg(width: 400, height: 200), orientation: 6)
        let encoder = PhotoEncoder(maximumSide: 300, thumbnailSide: 64)
        let stored = try encoder.storedCopy(of: tagged)
        let photo = try ImageSource(stored).info()
        #expect(photo.width == 150 && photo.height == 300 && photo.orientation == .up)
        #expect(!contains(stored, "Exif"))
        let thumbnail = try ImageSource(encoder.thumbnail(of: stored)).info()
        #expect(thumbnail.width == 64 && thumbnail.height == 64)
    }

    @Test func `an upright photo of the right size keeps its pixels and loses its metadata`() throws {
        let plain = try jpeg(width: 100, height: 80)
        var tagged = Synthetic.tagged(plain, orientation: 1)
        // Bytes behind the end of the picture are removed too.
        tagged += Array("GPS of my house".utf8)
        let stored = try PhotoEncoder().storedCopy(of: tagged)
        #expect(try ImageSource(stored).pixels(request) == ImageSource(plain).pixels(request))
        #expect(contains(tagged, "Exif") && !contains(stored, "Exif") && !contains(stored, "GPS"))
        #expect(stored.suffix(2) == [0xFF, 0xD9])
    }

    @Test(arguments: [true, false])
    func `metadata is kept when asked, and says that the photo is upright now`(bigEndian: Bool) throws {
        let upright = Synthetic.tagged(try jpeg(width: 100, height: 80), orientation: 1, bigEndian: bigEndian)
        #expect(try PhotoEncoder().storedCopy(of: upright, keepingMetadata: true) == upright)
        let turned = Synthetic.tagged(try jpeg(width: 400, height: 200), orientation: 6, bigEndian: bigEndian)
        let stored = try PhotoEncoder(maximumSide: 300).storedCopy(of: turned, keepingMetadata: true)
        let photo = try ImageSource(stored).info()
        #expect(photo.width == 150 && photo.height == 300 && photo.orientation == .up)
        // The structure is the same except for the byte of the orientation.
        let kept = try #require(try JPEGHeader(parsing: stored).exif)
        #expect(zip(kept, try #require(try JPEGHeader(parsing: turned).exif)).filter { $0 != $1 }.count == 1)
        #expect(contains(stored, "Exif"))
    }

    @Test func `EXIF too large for a segment is left out`() throws {
        let plain = try jpeg()
        #expect(JPEGMetadata.adding(exif: [UInt8](repeating: 0, count: 65_528), to: plain) == plain)
        #expect(
            JPEGMetadata.adding(exif: [UInt8](repeating: 0, count: 65_527), to: plain).count == plain.count + 65_537)
    }

    @Test func `metadata is left alone where the segments are not in order`() throws {
        let plain = try jpeg()
        #expect(JPEGMetadata.stripped(plain) == plain)
        for length in 0..<plain.count { #expect(JPEGMetadata.stripped(Array(plain.prefix(length))) == nil) }
    }

    private func contains(_ bytes: [UInt8], _ word: String) -> Bool {
        bytes.firstRange(of: Array(word.utf8)) != nil
    }
}

@Suite("Real and odd files", .enabled(if: SharedFiles.areThere, SharedFiles.hint)) struct FileTests {
    @Test func `every one ends in an answer or a clean error`() throws {
        let files = SharedFiles.files(below: "conformance/images")
        #expect(files.count > 300)
        var answers = 0
        for file in files {
            do throws(ImagingError) {
                let bytes = (try? SharedFiles.bytes(file)) ?? []
                let source = try ImageSource(bytes)
                let (pixels, info) = (try source.pixels(DecodeRequest(width: 64, height: 64)), source.info())
                #expect(pixels.bytes.count == 64 * 64 * 3 && info.width > 0 && info.height > 0)
                answers += 1
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
        // All PNG files and most of image-rs's files are valid. The rest is meant to break decoders.
        #expect(answers > 200, "only \(answers) of \(files.count) were read")
    }

    @Test(arguments: ["basn0g16", "basn2c16", "basn3p08", "basn4a08", "basn6a16", "ibasn2c08", "ftbbn3p08"])
    func `PNGs of every kind become colours`(name: String) throws {
        let bytes = try SharedFiles.bytes("conformance/images/pngsuite/\(name).png")
        let source = try ImageSource(bytes)
        let (pixels, info) = (try source.pixels(DecodeRequest(width: 32, height: 32)), source.info())
        #expect(info.format == .png && info.width == 32 && info.height == 32)
        #expect(Set(pixels.bytes).count > 4)
    }
}
