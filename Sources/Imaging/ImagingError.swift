/// Why bytes did not become a picture. The message says what was wrong and, where it helps, what would be right.
package enum ImagingError: Error, Sendable, Equatable {
    /// No bytes at all.
    case empty
    /// The bytes start like no image format known here.
    case notAnImage
    /// A recognised format, or a variant of one, that is not read.
    case unsupportedFormat(String)
    /// The decoder gave up; the detail is its own words.
    case corrupt(String)
    /// The picture ends before its last row.
    case truncated
    /// The header announces more pixels than are allowed; nothing was decoded.
    case tooManyPixels(width: Int, height: Int, limit: Int)
    /// The decoder was stopped after so long.
    case tooSlow(seconds: Double)
    /// More bytes than are allowed; nothing was read.
    case tooManyBytes(count: Int, limit: Int)
    /// The JPEG encoder failed; the fault is ours, not the sender's.
    case encodingFailed(String)
}

extension ImagingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty:
            "The image is empty (0 bytes)."
        case .notAnImage:
            "The bytes are not an image. Readable formats: JPEG, PNG, WebP, GIF, TIFF, BMP, HEIC, AVIF."
        case .unsupportedFormat(let name):
            "\(name) is not supported. Readable formats: JPEG, PNG, WebP, GIF, TIFF, BMP, HEIC, AVIF."
        case .corrupt(let detail):
            "The image is damaged: \(detail)."
        case .truncated:
            "The image is truncated: it ends before its last row."
        case .tooManyPixels(let width, let height, let limit):
            "The image has \(width)×\(height) pixels; at most \(limit) pixels, and 65535 a side, are decoded."
        case .tooSlow(let seconds):
            "The image takes more than \(seconds) seconds to decode; one of fewer pixels, or in JPEG, would not."
        case .tooManyBytes(let count, let limit):
            "The image has \(count) bytes; at most \(limit) are read."
        case .encodingFailed(let detail):
            "The picture could not be encoded as JPEG: \(detail)."
        }
    }
}
