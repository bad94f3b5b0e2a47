package import Base

/// An archive from ``HistoryStore/exportArchive(_:to:)``. Somebody may have packed it anew. It finds the files of
/// scans, and each scan's photo.
package final class ImportArchive: Sendable {
    /// The largest file in an archive, unpacked, in bytes.
    static let fileLimit = 32 << 20

    let reader: ZIPReader
    /// The manifest; nil if it was left out.
    let manifest: ExportManifest?
    /// The positions of the files of scans.
    let files: [Int]
    /// The positions of the photos that were not used yet.
    private let photos: Locked<[ULID: Int]>

    /// - Throws: ``ArchiveError`` if the source is not an archive.
    package init(_ source: any ArchiveSource) async throws {
        reader = try await ZIPReader(source)
        var (files, photos): ([Int], [ULID: Int]) = ([], [:])
        var description: ZIPReader.Entry?
        try await reader.forEachEntry { entry, position in
            let parts = entry.name.split(separator: "/")
            guard let name = parts.last, parts.first != "__MACOSX", !name.hasPrefix(".") else { return }
            if name == ExportManifest.fileName { description = entry }
            if name.hasSuffix(".jsonl") { files.append(position) }
            if parts.dropLast().last == "photos", name.hasSuffix(".jpg"), let id = ULID(String(name.dropLast(4))) {
                photos[id] = position
            }
        }
        if let description {
            manifest = try ExportManifest(await reader.contents(of: description, limit: 1 << 20))
        } else {
            manifest = nil
        }
        guard manifest != nil || !files.isEmpty else {
            throw ArchiveError.unsupported("it has no file of scans such as scans/000001.jsonl")
        }
        self.files = files
        self.photos = Locked(photos)
    }

    /// The photo of a scan. It is unpacked only once, for the first line that names it.
    func photo(of id: ULID) async throws -> [UInt8] {
        guard let position = photos.withLock({ $0.removeValue(forKey: id) }) else {
            throw ArchiveError.damaged("photos/\(id).jpg is missing, or belongs to an earlier line")
        }
        return try await reader.contents(of: reader.entry(at: position), limit: Self.fileLimit)
    }
}
