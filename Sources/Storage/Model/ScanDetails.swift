package import Base

package struct ScanModel: Codable, Hashable, Sendable {
    package var name: String
    package var version: String

    package init(name: String, version: String) {
        self.name = name
        self.version = version
    }
}

/// The photo as it was received, before it was made upright and re-encoded for storage.
package struct ScanImage: Codable, Hashable, Sendable {
    /// The size in pixels.
    package var width, height: Int
    /// `jpeg`, `png`, `heic` …
    package var format: String
    /// The EXIF orientation, 1…8.
    package var orientation: Int
    /// The digest of the received bytes. It identifies repeated scans of the same photo.
    package var sha256: ContentDigest
    /// The size before the client made the photo smaller; nil if it did not say so.
    package var original: Size?

    package struct Size: Codable, Hashable, Sendable {
        /// In pixels.
        package var width, height: Int

        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    package init(
        width: Int, height: Int, format: String, orientation: Int, sha256: ContentDigest, original: Size? = nil
    ) {
        self.width = width
        self.height = height
        self.format = format
        self.orientation = orientation
        self.sha256 = sha256
        self.original = original
    }
}

/// The stored copy of a photo: upright, bounded in size.
package struct StoredPhoto: Codable, Hashable, Sendable {
    /// The content address of the stored copy in the `PhotoStore`.
    package var digest: ContentDigest
    package var byteCount: Int

    private enum CodingKeys: String, CodingKey {
        case digest
        case byteCount = "bytes"
    }
}
