package import Base

/// Keeps photos by the SHA-256 of their bytes: as files of one machine (`PhotoStore`), or as rows of a
/// database that several replicas share (`PhotoTable`).
package protocol PhotoRepository: Sendable {
    /// Returns those of the photos that a scan names.
    typealias Referenced = @Sendable ([ContentDigest]) async throws(HistoryError) -> Set<ContentDigest>

    /// Computes the addresses of photos that are about to be stored. This process does not collect them until `unpin`.
    /// Throws `photoTooLarge`.
    func pin(_ photos: [[UInt8]]) throws(HistoryError) -> [PhotoFile]
    /// Lets photos be collected again. Each `pin` needs one call.
    func unpin(_ digests: [ContentDigest])
    /// Stores pinned photos. They are durable when this returns. Returns whether one of them existed before; another
    /// process may then be about to collect it.
    func write(_ writes: [PhotoFile]) async throws(HistoryError) -> Bool
    /// The bytes of a photo, with its digest checked. Throws `missingPhoto`, `corruptPhoto`.
    func read(_ digest: ContentDigest) async throws(HistoryError) -> [UInt8]
    /// Whether all the photos exist. Their bytes are not checked.
    func contains(_ digests: [ContentDigest]) async throws(HistoryError) -> Bool
    /// Removes the photos that no scan names and that were stored at least `age` seconds ago.
    func collect(
        _ digests: [ContentDigest], age: Int, referenced: Referenced
    ) async throws(HistoryError) -> CollectedPhotos
    /// Removes photos that no scan names from some of the 256 parts. The first byte of the digest is the part.
    func sweep(_ parts: Range<Int>, age: Int, referenced: Referenced) async throws(HistoryError) -> CollectedPhotos
    /// The number of photos, and in words those whose bytes do not match their digest.
    func verify() async throws(HistoryError) -> (photos: Int, damaged: [String])
    /// Returns when the photos accepted so far are durable. Later ones are refused.
    func close() async
}

extension PhotoRepository {
    /// Stores the photos and returns their addresses, in order, when they are durable. If this throws, photos already
    /// written are collected later.
    package func store(_ photos: [[UInt8]]) async throws(HistoryError) -> [ContentDigest] {
        let writes = try pin(photos)
        let digests = writes.map(\.digest)
        defer { unpin(digests) }
        _ = try await write(writes)
        return digests
    }

    /// The bytes of a photo. Nil if it is missing or damaged; `report` then gets the reason.
    package func readIfIntact(
        _ digest: ContentDigest, report: (HistoryError) -> Void = { _ in }
    ) async throws(HistoryError) -> [UInt8]? {
        do throws(HistoryError) {
            return try await read(digest)
        } catch {
            switch error {
            case .missingPhoto, .corruptPhoto: report(error)
            default: throw error
            }
            return nil
        }
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
