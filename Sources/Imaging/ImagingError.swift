/// The reason why bytes did not become a picture. The message says what was wrong and perhaps what would be right.
package enum ImagingError: Error, Sendable, Equatable {
    /// There are no bytes.
    case empty
    /// The bytes do not begin like any known image format.
    case notAnImage
    /// The file has a recognised format, or a variant of one, that is not read.
    case unsupportedFormat(String)
    /// The decoder failed. The text is its own.
    case corrupt(String)
    /// The picture ends before its last row.
    case truncated
    /// The header announces too many pixels. Nothing was decoded.
    case tooManyPixels(width: Int, height: Int, limit: Int)
    /// The decoder was stopped after this time.
    case tooSlow(seconds: Double)
    /// There are too many bytes. Nothing was read.
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
