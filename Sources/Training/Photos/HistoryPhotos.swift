import Base
import Recognition
package import Storage

/// Photos of scans that a person labelled or named.
package struct HistoryPhotos: PhotoSource {
    /// The kind of scans to use.
    package enum Kind: String, Codable, Sendable {
        /// Scans with a corrected label.
        case corrections
        /// Scans whose animal has a name.
        case individuals
        /// Scans of animals without a name, each under its species.
        case strangers
    }

    private let history: HistoryStore
    private let kind: Kind
    private let scans: [(id: ULID, label: String, photo: StoredPhoto?)]

    /// Searches the history, newest first.
    ///
    /// - Parameter count: the most photos to take. Nil sets no limit here; later checks refuse too many.
    package init(_ history: HistoryStore, _ kind: Kind, limits: TrainingLimits, count: Int? = nil) async throws {
        self.history = history
        self.kind = kind
        var scans: [(id: ULID, label: String, photo: StoredPhoto?)] = []
        var query = HistoryQuery(limit: 100)
        switch kind {
        case .corrections: query.corrected = true
        case .individuals: query.named = true
        case .strangers: query.named = false
        }
        let most = count ?? limits.photos + 1
        repeat {
            let page = try await history.scans.page(query)
            for scan in page.items {
                let label =
                    switch kind {
                    case .corrections: scan.correctedLabel ?? ""
                    case .individuals: scan.individual ?? ""
                    case .strangers: scan.species
                    }
                scans.append((scan.id, label, scan.photo))
            }
            query.cursor = page.nextCursor
        } while query.cursor != nil && scans.count < most
        self.scans = scans.prefix(most).sorted { $0.id < $1.id }
    }

    package func catalogue(_ limits: TrainingLimits) async throws -> PhotoCatalogue {
        var catalogue = PhotoCatalogue(limits: limits)
        let lonely = lonelyLabels
        for (place, scan) in scans.enumerated() {
            guard let photo = scan.photo else {
                catalogue.skip("\(scan.id)", .notKept)
                continue
            }
            guard !isWide(scan.label) else {
                catalogue.skip("\(scan.id)", .onlyKind)
                continue
            }
            guard !lonely.contains(scan.label) else {
                catalogue.skip("\(scan.id)", .onlyOne)
                continue
            }
            try catalogue.add(path: "\(scan.id)", label: scan.label, size: photo.byteCount, place: place)
        }
        return catalogue
    }

    /// Whether a correction only says which kind of animal it is, which is no class to learn.
    private func isWide(_ label: String) -> Bool { kind == .corrections && Recogniser.animalKinds.contains(label) }

    /// Labels with only one corrected photo. They are left out, because corrections come one at a time and must not
    /// block the other classes. Empty if fewer than two classes would remain.
    private var lonelyLabels: Set<String> {
        guard kind == .corrections else { return [] }
        var counts: [String: Int] = [:]
        for scan in scans where scan.photo != nil && !isWide(scan.label) { counts[scan.label, default: 0] += 1 }
        let lonely = counts.filter { $0.value == 1 }
        return counts.count - lonely.count < 2 ? [] : Set(lonely.keys)
    }

    package func bytes(of photo: TrainingPhoto) async throws -> [UInt8] {
        guard let digest = scans[photo.place].photo?.digest else { throw SkipReason.gone }
        do {
            return try await history.photos.read(digest)
        } catch {
            throw SkipReason.gone
        }
    }
}
