import HTTP

/// The results of an import.
struct ImportReport: Encodable, Sendable {
    /// A line of the file, or of a file in the archive.
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

        /// The failure as members of a problem.
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

    /// The largest number of failures, and of skipped scans, that are listed.
    static let maximumListed = 100

    private(set) var imported = 0
    /// The number of scans that exist already.
    private(set) var skipped = 0
    private(set) var failed = 0
    /// The number of articles that became favourites.
    var favourites = 0
    private(set) var errors: [Failure] = []
    private(set) var skippedScans: [Skip] = []

    /// The result for one scan.
    enum Outcome: Sendable {
        case imported
        /// The scan exists already.
        case skipped(id: String)
        case failed(ImportFailure)
    }

    /// The number of scans with a result.
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

/// The progress of an import, as its events report it.
struct ImportProgress: Encodable, Sendable {
    let processed: Int
    /// The number of all scans; absent if the file does not state it.
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
