package import Base

/// A photo that is stored, or is about to be. Its digest is a strong entity tag: the bytes at an address never change.
package struct PhotoFile: Hashable, Sendable {
    package let digest: ContentDigest
    package let bytes: [UInt8]

    package static func == (left: PhotoFile, right: PhotoFile) -> Bool { left.digest == right.digest }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Throws `photoTooLarge`.
    static func of(_ photos: [[UInt8]], maximumBytes: Int) throws(HistoryError) -> [PhotoFile] {
        for photo in photos where photo.count > maximumBytes {
            throw .photoTooLarge(bytes: photo.count, limit: maximumBytes)
        }
        return photos.map { PhotoFile(digest: ContentDigest(of: $0), bytes: $0) }
    }
}
