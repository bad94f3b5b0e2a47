package import Base
import Foundation

/// The readable file formats, with their names in the HTTP interface.
package enum ImageFormat: String, Sendable, CaseIterable, Codable {
    case jpeg, png, webp, gif, tiff, bmp, heic, avif

    private static let fileExtensions: Set = [
        "jpg", "jpeg", "png", "webp", "gif", "tif", "tiff", "bmp", "heic", "heif", "avif",
    ]

    /// Whether a file's name ends as that of a photo usually does.
    package static func isPhoto(named name: String) -> Bool {
        fileExtensions.contains((name as NSString).pathExtension.lowercased())
    }
}

/// The format that a file's first bytes show.
package enum SniffedFormat: Sendable, Equatable {
    /// A format that the program reads.
    case readable(ImageFormat)
    /// The name of an image or document format that is recognised but not read.
    case unsupported(String)
    /// No known signature.
    case unknown

    /// Decides by the signature alone, because declared media types are unreliable.
    ///
    /// Signatures: JPEG ITU-T T.81 B.1.1.3, PNG ISO 15948 §5.2, RIFF/WebP RFC 9649 §2.4, GIF89a §17, TIFF 6.0 §2,
    /// ISO base media file format (ISO 14496-12 §4.3) with the brands of HEIF (ISO 23008-12) and AVIF.
    package init(of bytes: [UInt8]) {
        func has(_ signature: [UInt8], at offset: Int = 0) -> Bool {
            bytes.count >= offset + signature.count && bytes[offset..<offset + signature.count].elementsEqual(signature)
        }
        func has(_ signature: StaticString, at offset: Int = 0) -> Bool {
            signature.withUTF8Buffer { has([UInt8]($0), at: offset) }
        }
        if has([0xFF, 0xD8, 0xFF]) {
            self = .readable(.jpeg)
        } else if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .readable(.png)
        } else if has("RIFF"), has("WEBP", at: 8) {
            self = .readable(.webp)
        } else if has("GIF87a") || has("GIF89a") {
            self = .readable(.gif)
        } else if has([0x49, 0x49, 0x2A, 0x00]) || has([0x4D, 0x4D, 0x00, 0x2A]) {
            self = .readable(.tiff)
        } else if has("BM"), bytes.count >= 18 {
            self = .readable(.bmp)
        } else if has("ftyp", at: 4) {
            self = SniffedFormat(brandsOf: bytes)
        } else if has([0x49, 0x49, 0x2B, 0x00]) || has([0x4D, 0x4D, 0x00, 0x2B]) {
            self = .unsupported("BigTIFF")
        } else if has("8BPS") {
            self = .unsupported("Photoshop document")
        } else if has("%PDF-") {
            self = .unsupported("PDF")
        } else if has("<svg") || has("<?xml") {
            self = .unsupported("SVG or XML")
        } else if has([0xFF, 0x0A]) || has("JXL ", at: 4) {
            self = .unsupported("JPEG XL")
        } else if has("jP  ", at: 4) || has([0xFF, 0x4F, 0xFF, 0x51]) {
            self = .unsupported("JPEG 2000")
        } else if has([0x00, 0x00, 0x01, 0x00]) {
            self = .unsupported("Windows icon")
        } else if has([0x1A, 0x45, 0xDF, 0xA3]) {
            self = .unsupported("Matroska or WebM video")
        } else {
            self = .unknown
        }
    }

    /// Reads the major brand and the compatible brands of an ISO base media file, at most 64.
    private init(brandsOf bytes: [UInt8]) {
        let boxSize = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let end = min(bytes.count, boxSize, 16 + 64 * 4)
        var brands: [String] = []
        var offset = 8
        while offset + 4 <= end {
            // The minor version is at offset 12 and is not a brand.
            if offset != 12 { brands.append(String(decoding: bytes[offset..<offset + 4], as: UTF8.self)) }
            offset += 4
        }
        if brands.contains("avif") || brands.contains("avis") {
            self = .readable(.avif)
        } else if brands.contains(where: {
            ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"].contains($0)
        }) {
            self = .readable(.heic)
        } else {
            self = .unsupported("ISO media file (\(brands.first ?? "no brand"))")
        }
    }
}

/// The facts about a photo besides its pixels.
package struct ImageInfo: Sendable, Equatable, Codable {
    /// Columns as stored, before orientation is applied.
    package let storedWidth: Int
    /// Rows as stored, before orientation is applied.
    package let storedHeight: Int
    /// The format by signature, not by declaration.
    package let format: ImageFormat
    /// The EXIF orientation; `.up` if it is absent or not 1–8.
    package let orientation: Orientation
    /// The digest of the bytes as received.
    package let sha256: ContentDigest

    /// Columns of the upright picture.
    package var width: Int { orientation.swapsSides ? storedHeight : storedWidth }
    /// Rows of the upright picture.
    package var height: Int { orientation.swapsSides ? storedWidth : storedHeight }
}
