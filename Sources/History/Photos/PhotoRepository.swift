package import Base

/// Keeps photos and thumbnails by the SHA-256 of their bytes: as files of one machine (`PhotoStore`), or as rows of a
/// database that several replicas share (`PhotoTable`).
package protocol PhotoRepository: Sendable {
    /// Answers which of the photos a scan names.
    typealias Referenced = @Sendable ([ContentDigest]) async throws(HistoryError) -> Set<ContentDigest>

    /// Finds out the addresses of photos that are about to be stored; until `unpin` this process does not collect what
    /// is there. Throws `photoTooLarge`.
    func pin(_ photos: [[UInt8]]) throws(HistoryError) -> [PhotoWrite]
    /// Lets photos be collected again; once for each time that they were pinned.
    func unpin(_ digests: [ContentDigest])
    /// Stores photos that are pinned; they are durable when this returns. Tells whether one of them had been there before,
    /// so that another process may be about to collect it.
    func write(_ writes: [PhotoWrite]) async throws(HistoryError) -> Bool
    /// The bytes of a photo, whose digest was checked. Throws `missingPhoto`, `corruptPhoto`.
    func read(_ digest: ContentDigest) async throws(HistoryError) -> [UInt8]
    /// Whether all of them are there; their bytes are not checked.
    func contains(_ digests: [ContentDigest]) async throws(HistoryError) -> Bool
    /// Removes those that no scan names and that were stored at least `age` seconds ago.
    func collect(
        _ digests: [ContentDigest], age: Int, referenced: Referenced
    ) async throws(HistoryError) -> CollectedPhotos
    /// Looks through some of the 256 parts, by the first byte of the digest, for photos that no scan names.
    func sweep(_ parts: Range<Int>, age: Int, referenced: Referenced) async throws(HistoryError) -> CollectedPhotos
    /// How many photos there are, and in words those whose bytes do not match their digest.
    func verify() async throws(HistoryError) -> (photos: Int, damaged: [String])
    /// Returns once what was accepted before is durable; refuses what comes later.
    func close() async
}

extension PhotoRepository {
    /// Stores the photos and returns their addresses, in order, once they are durable. On failure none is promised: what
    /// was written is collected later.
    package func store(_ photos: [[UInt8]]) async throws(HistoryError) -> [ContentDigest] {
        let writes = try pin(photos)
        let digests = writes.map(\.digest)
        defer { unpin(digests) }
        _ = try await write(writes)
        return digests
    }
}

/// Photos that were removed.
package struct CollectedPhotos: Hashable, Sendable {
    package var count = 0
    package var bytes = 0

    static func += (left: inout CollectedPhotos, right: CollectedPhotos) {
        left.count += right.count
        left.bytes += right.bytes
    }
}
