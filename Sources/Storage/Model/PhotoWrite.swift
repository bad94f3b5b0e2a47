internal import Base

/// A file to be stored.
package struct PhotoWrite: Hashable, Sendable {
    var digest: ContentDigest
    var bytes: [UInt8]

    package static func == (left: PhotoWrite, right: PhotoWrite) -> Bool { left.digest == right.digest }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Throws `photoTooLarge`.
    static func of(_ photos: [[UInt8]], maximumBytes: Int) throws(HistoryError) -> [PhotoWrite] {
        for photo in photos where photo.count > maximumBytes {
            throw .photoTooLarge(bytes: photo.count, limit: maximumBytes)
        }
        return photos.map { PhotoWrite(digest: ContentDigest(of: $0), bytes: $0) }
    }
}
