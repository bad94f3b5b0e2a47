import Base
import Recognition
import Storage

extension PhotoSource {
    /// The kind of scans to use.
    enum Scans {
        /// Scans with a corrected label.
        case corrections
        /// Scans whose animal has a name.
        case individuals
        /// Scans of animals without a name, each under its species.
        case strangers
    }

    /// Photos of scans that a person labelled or named, the newest ones.
    ///
    /// - Parameter count: the most photos to take. Nil sets no limit here; later checks refuse too many.
    init(_ history: HistoryStore, _ kind: Scans, limits: TrainingLimits, count: Int? = nil) async throws {
        var found: [(id: ULID, label: String, photo: StoredPhoto?)] = []
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
                found.append((scan.id, label, scan.photo))
            }
            query.cursor = page.nextCursor
        } while query.cursor != nil && found.count < most
        let scans = found.prefix(most).sorted { $0.id < $1.id }
        // A correction may say only which kind of animal it is, which is no class to learn.
        let wide = kind == .corrections ? Recogniser.animalKinds : []
        let lonely =
            kind == .corrections
            ? Self.lonely(scans.filter { $0.photo != nil && !wide.contains($0.label) }.map(\.label)) : []
        var catalogue = PhotoCatalogue(limits: limits)
        for (place, scan) in scans.enumerated() {
            if let photo = scan.photo, !wide.contains(scan.label), !lonely.contains(scan.label) {
                try catalogue.add(path: "\(scan.id)", label: scan.label, size: photo.byteCount, place: place)
            } else {
                let isWide = wide.contains(scan.label)
                catalogue.skip("\(scan.id)", scan.photo == nil ? .notKept : isWide ? .onlyKind : .onlyOne)
            }
        }
        let digests = scans.map(\.photo?.digest)
        self.init(catalogue: catalogue) { photo in
            guard let digest = digests[photo.place], let bytes = try await history.photos.readIfIntact(digest) else {
                throw SkipReason.gone
            }
            return bytes
        }
    }

    /// Labels with only one photo. They are left out, because corrections come one at a time and must not block the
    /// other classes. Empty if fewer than two classes would remain.
    private static func lonely(_ labels: [String]) -> Set<String> {
        let counts = Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +)
        let lonely = counts.filter { $0.value == 1 }
        return counts.count - lonely.count < 2 ? [] : Set(lonely.keys)
    }
}
