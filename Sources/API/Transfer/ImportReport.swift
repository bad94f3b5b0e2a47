import HTTP

/// What became of the scans of an import.
struct ImportReport: Encodable, Sendable {
    /// A line of the file, or of one in the archive.
    struct Place: Sendable {
        let line: Int
        let file: String?

        /// `line 7`, or `line 7 of scans/000001.jsonl`.
        var text: String { "line \(line)" + (file.map { " of \($0)" } ?? "") }
    }

    struct Failure: Encodable, Sendable {
        let code: ImportFailure.Code
        let place: String
        let line: Int
        let file: String?
        let detail: String
        let field: String?
        let limit: Int?

        init(_ failure: ImportFailure, at place: Place) {
            (code, detail, field, limit) = (failure.code, failure.detail, failure.field, failure.limit)
            (self.place, line, file) = (place.text, place.line, place.file)
        }

        /// As a problem carries it.
        var members: [String: JSONValue] {
            var members: [String: JSONValue] = [
                "code": .string(code.rawValue), "place": .string(place), "line": .integer(line),
                "detail": .string(detail),
            ]
            if let file { members["file"] = .string(file) }
            if let field { members["field"] = .string(field) }
            if let limit { members["limit"] = .integer(limit) }
            return members
        }
    }

    struct Skip: Encodable, Sendable {
        let id: String
        let place: String
        let reason = "is there already"
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
        /// It is there already.
        case skipped(id: String)
        case failed(ImportFailure)
    }

    /// Scans of which it is known what became of them.
    var processed: Int { imported + skipped + failed }

    mutating func add(_ outcome: Outcome, at place: Place) {
        switch outcome {
        case .imported: imported += 1
        case .skipped(let id):
            skipped += 1
            if skippedScans.count < Self.maximumListed { skippedScans.append(Skip(id: id, place: place.text)) }
        case .failed(let failure):
            failed += 1
            if errors.count < Self.maximumListed { errors.append(Failure(failure, at: place)) }
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
