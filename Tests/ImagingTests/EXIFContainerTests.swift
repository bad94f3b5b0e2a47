import Foundation
import Testing

@testable import Imaging

/// EXIF outside JPEG: the chunk `eXIf` of PNG (PNG 3rd edition, 11.3.4.6) and `EXIF` of WebP (RFC 9649, 2.7.1.4).
@Suite("EXIF in PNG and WebP", .enabled(if: SharedFiles.areThere, SharedFiles.hint)) struct EXIFContainerTests {
    static let place = Array("60 10 30 N".utf8)
    static let files = ["pngsuite/basn2c08.png", "image-rs/webp_lossy_images_simple-rgb.webp"]

    /// A file with an orientation of 90° to the right. A location stands behind the entries of its EXIF.
    static func tagged(_ name: String) throws -> [UInt8] {
        let plain = try SharedFiles.bytes("conformance/images/" + name)
        let tiff: [UInt8] =
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0] + place
        return name.hasSuffix("png") ? png(plain, tiff) : try webP(plain, tiff)
    }

    /// The chunk comes after the header's, which ends at byte 33.
    private static func png(_ plain: [UInt8], _ tiff: [UInt8]) -> [UInt8] {
        Array(plain[..<33]) + chunk("eXIf", tiff) + Array(plain[33...])
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + content
        return big(UInt32(content.count)) + body + big(checksum(body))
    }

    /// The simple file inside an extended one: a header with the EXIF flag and the size, the picture, and the EXIF.
    private static func webP(_ plain: [UInt8], _ tiff: [UInt8]) throws -> [UInt8] {
        let picture = plain[12...]
        let size = try ImageSource(plain).info()
        let canvas = Synthetic.little(size.width - 1, 3) + Synthetic.little(size.height - 1, 3)
        let header = Array("VP8X".utf8) + Synthetic.little(10, 4) + [0x08, 0, 0, 0] + canvas
        let padding = [UInt8](repeating: 0, count: tiff.count % 2)
        let exif = Array("EXIF".utf8) + Synthetic.little(tiff.count, 4) + tiff + padding
        let body = Array("WEBP".utf8) + header + picture + exif
        return Array("RIFF".utf8) + Synthetic.little(body.count, 4) + body
    }

    private static func big(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    /// CRC-32 as in PNG's annex D.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    @Test(arguments: files) func turnsThePicture(_ name: String) throws {
        let plain = try ImageSource(SharedFiles.bytes("conformance/images/" + name)).info()
        let tagged = try ImageSource(Self.tagged(name)).info()
        #expect(tagged.orientation == .right)
        #expect(tagged.width == plain.height && tagged.height == plain.width)
    }

    /// The further pictures of an animation are in chunks of their own (PNG 3rd edition, 11.3.6.3).
    @Test func anAnimationMayBeLargeAndMetadataMayNot() throws {
        let plain = try SharedFiles.bytes("conformance/images/pngsuite/basn2c08.png")
        func enlarged(by type: String) -> [UInt8] {
            let size = PNGStructure.maximumAncillaryBytes + 1
            let end = plain.count - 12
            return plain[..<end] + Self.chunk(type, [UInt8](repeating: 7, count: size)) + plain[end...]
        }
        let request = DecodeRequest(width: 32, height: 32)
        let pixels = try ImageSource(enlarged(by: "fdAT")).pixels(request)
        #expect(try pixels == ImageSource(plain).pixels(request))
        #expect(throws: ImagingError.self) { try ImageSource(enlarged(by: "tEXt")) }
    }

    @Test(arguments: files) func isStrippedUnlessAskedFor(_ name: String) throws {
        let tagged = try Self.tagged(name)
        let stripped = try PhotoEncoder().storedCopy(of: tagged)
        #expect(stripped.firstRange(of: Self.place) == nil && stripped.firstRange(of: Array("Exif".utf8)) == nil)
        let kept = try PhotoEncoder().storedCopy(of: tagged, keepingMetadata: true)
        #expect(kept.firstRange(of: Self.place) != nil)
        // The stored copy is upright and its orientation says so.
        let photo = try ImageSource(kept).info()
        let first = try ImageSource(tagged).info()
        #expect(photo.orientation == .up && photo.width == first.width && photo.height == first.height)
    }
}

/// A TIFF file is itself the structure that EXIF has (CIPA DC-008 §4.6).
@Suite("EXIF in TIFF") struct TIFFDescriptionTests {
    private static let texts = ["Nikon", "2026:07:01 12:34:56", "60/1 10/1"]

    /// A picture of 4 × 2 pixels that is turned to the right, with a camera, a date and a place. The texts and the
    /// two inner directories come first, then the file's own directory.
    private static let file: [UInt8] = {
        var bytes = Array("II".utf8) + Synthetic.little(42, 2) + Synthetic.little(0, 4)
        func append(_ new: [UInt8]) -> Int {
            defer { bytes += new }
            return bytes.count
        }
        func directory(_ entries: [(tag: Int, type: Int, count: Int, value: Int)]) -> [UInt8] {
            entries.reduce(into: Synthetic.little(entries.count, 2)) { bytes, entry in
                bytes += Synthetic.little(entry.tag, 2) + Synthetic.little(entry.type, 2)
                bytes += Synthetic.little(entry.count, 4) + Synthetic.little(entry.value, 4)
            } + Synthetic.little(0, 4)
        }
        let pixels = append([UInt8](repeating: 90, count: 8))
        let places = texts.map { text in append(Array(text.utf8) + [0]) }
        let inner = zip([0x9003, 0x001B], texts.indices.dropFirst()).map { tag, index in
            append(directory([(tag, 2, texts[index].utf8.count + 1, places[index])]))
        }
        let whole = append(
            directory([
                (256, 4, 1, 4), (257, 4, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
                (0x010F, 2, texts[0].utf8.count + 1, places[0]), (273, 4, 1, pixels), (0x0112, 3, 1, 6), (277, 3, 1, 1),
                (278, 4, 1, 2), (279, 4, 1, 8), (0x8769, 4, 1, inner[0]), (0x8825, 4, 1, inner[1]),
            ]))
        bytes.replaceSubrange(4..<8, with: Synthetic.little(whole, 4))
        return bytes
    }()

    @Test func isKeptOnRequest() throws {
        let stripped = try PhotoEncoder().storedCopy(of: Self.file)
        let kept = try PhotoEncoder().storedCopy(of: Self.file, keepingMetadata: true)
        for text in Self.texts {
            #expect(stripped.firstRange(of: Array(text.utf8)) == nil)
            #expect(kept.firstRange(of: Array(text.utf8)) != nil, "\(text)")
        }
        let photo = try ImageSource(kept).info()
        #expect(photo.orientation == .up && photo.width == 2 && photo.height == 4)
        // What it describes stays the same when it is taken out a second time.
        let once = try #require(EXIF.description(inTIFF: Self.file[...]))
        #expect(EXIF.description(inTIFF: once[...]) == once)
    }

    /// A hostile file names one inner directory thousands of times, and each would be read.
    @Test func aRepeatedTagCountsOnce() {
        func file(_ count: Int) -> [UInt8] {
            let place = 8 + 2 + count * 12 + 4
            let entry = [0x69, 0x87, 4, 0, 1, 0, 0, 0] + Synthetic.little(place, 4)
            let inner = [1, 0, 0x90, 0x92, 2, 0, 3, 0, 0, 0] + Array("12\0\0".utf8) + [0, 0, 0, 0]
            return Array("II".utf8) + [42, 0, 8, 0, 0, 0] + Synthetic.little(count, 2)
                + (0..<count).flatMap { _ in entry } + [0, 0, 0, 0] + inner
        }
        let once = EXIF.description(inTIFF: file(1)[...])
        #expect(once?.firstRange(of: Array("12".utf8)) != nil)
        #expect(EXIF.description(inTIFF: file(3_000)[...]) == once)
    }

    @Test func brokenStructuresDoNoHarm() {
        for length in Self.file.indices { _ = EXIF.description(inTIFF: Self.file[..<length]) }
        for index in Self.file.indices {
            for value in [0, 0x69, 0x7F, 0xFF] as [UInt8] {
                var broken = Self.file
                broken[index] = value
                #expect(EXIF.description(inTIFF: broken[...])?.count ?? 0 < 1_000)
            }
        }
        // Every directory of the place is the file's own one.
        let loop = Array("II".utf8) + [42, 0, 8, 0, 0, 0] + Synthetic.little(5_000, 2)
        let entry = Synthetic.little(0x8825, 2) + [4, 0, 1, 0, 0, 0, 8, 0, 0, 0]
        let loops = loop + (0..<5_000).flatMap { _ in entry }
        #expect(EXIF.description(inTIFF: loops[...])?.count ?? 0 < 200_000)
    }
}
