package import Base

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
