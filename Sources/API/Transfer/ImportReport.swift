/// What became of the scans of an import.
struct ImportReport: Encodable, Sendable {
    struct Failure: Encodable, Sendable {
        /// `line 7`, or `line 7 of scans/000001.jsonl`.
        let place: String
        let detail: String
    }

    struct Skip: Encodable, Sendable {
        let id: String
        let place: String
        /// `is there already`.
        let reason: String
    }

    /// How many failures, and how many scans that were left alone, are told one by one.
    static let maximumListed = 100

    private(set) var imported = 0
    /// Scans that were left alone.
    private(set) var skipped = 0
    private(set) var failed = 0
    /// Articles that have become favourites.
    var favourites = 0
    private(set) var errors: [Failure] = []
    private(set) var skippedScans: [Skip] = []

    /// What became of one scan.
    enum Outcome: Sendable {
        case imported
        case skipped(id: String, reason: String)
        case failed(String)
    }

    /// Scans of which it is known what became of them.
    var processed: Int { imported + skipped + failed }

    mutating func add(_ outcome: Outcome, at place: String) {
        switch outcome {
        case .imported: imported += 1
        case .skipped(let id, let reason):
            skipped += 1
            if skippedScans.count < Self.maximumListed {
                skippedScans.append(Skip(id: id, place: place, reason: reason))
            }
        case .failed(let detail):
            failed += 1
            if errors.count < Self.maximumListed { errors.append(Failure(place: place, detail: detail)) }
        }
    }
}

/// How far an import is, as its events tell.
struct ImportProgress: Encodable, Sendable {
    let processed: Int
    /// Scans that there are; nil, and then left out, where the file does not say.
    let total: Int?
    let imported: Int
    let skipped: Int
    let failed: Int

    init(_ report: ImportReport, total: Int?) {
        processed = report.processed
        self.total = total
        imported = report.imported
        skipped = report.skipped
        failed = report.failed
    }
}
