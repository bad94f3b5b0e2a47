import Base
package import History

/// The photos of scans whose label a person corrected.
package struct CorrectedPhotos: PhotoSource {
    private let history: HistoryStore
    private let scans: [(id: ULID, label: String, photo: StoredPhoto?)]

    /// Looks through the history.
    package init(_ history: HistoryStore, limits: TrainingLimits) async throws {
        self.history = history
        var scans: [(id: ULID, label: String, photo: StoredPhoto?)] = []
        var query = HistoryQuery(limit: 100, corrected: true)
        repeat {
            let page = try await history.scans.page(query)
            for scan in page.items { scans.append((scan.id, scan.correctedLabel ?? "", scan.photo)) }
            query.cursor = page.nextCursor
        } while query.cursor != nil && scans.count <= limits.photos
        self.scans = scans.sorted { $0.id < $1.id }
    }

    package func catalogue(_ limits: TrainingLimits) async throws -> PhotoCatalogue {
        var catalogue = PhotoCatalogue(limits: limits)
        for (place, scan) in scans.enumerated() {
            guard let photo = scan.photo else {
                catalogue.skip("\(scan.id)", "its photo was not kept")
                continue
            }
            try catalogue.add(path: "\(scan.id)", label: scan.label, size: photo.byteCount, place: place)
        }
        return catalogue
    }

    package func bytes(of photo: TrainingPhoto) async throws -> [UInt8] {
        guard let digest = scans[photo.place].photo?.digest else { throw UnreadablePhoto(reason: "its photo is gone") }
        do {
            return try await history.photos.read(digest)
        } catch {
            throw UnreadablePhoto(reason: "its photo is gone")
        }
    }
}
