package struct ImportReport: Encodable, Sendable {
    /// A line of the file, or of a file in the archive.
    struct Place: Sendable {
        let line: Int
        let file: String?

        /// `line 7`, or `line 7 of scans/000001.jsonl`.
        var text: String { "line \(line)" + (file.map { " of \($0)" } ?? "") }
    }

    package struct Failure: Encodable, Sendable {
        package let code: ImportFailure.Code
        package let place: String
        package let line: Int
        package let file: String?
        package let detail: String
        package let field: String?
        package let limit: Int?

        init(_ failure: ImportFailure, at place: Place) {
            (code, detail, field, limit) = (failure.code, failure.detail, failure.field, failure.limit)
            (self.place, line, file) = (place.text, place.line, place.file)
        }
    }

    struct Skip: Encodable, Sendable {
        let id: String
        let place: String
        let reason = "is there already"
    }

    /// The largest number of failures, and of skipped scans, that are listed.
    static let maximumListed = 100

    package private(set) var imported = 0
    /// The number of scans that exist already.
    package private(set) var skipped = 0
    package private(set) var failed = 0
    /// The number of articles that became favourites.
    package internal(set) var favourites = 0
    package private(set) var errors: [Failure] = []
    private(set) var skippedScans: [Skip] = []

    package init() {}

    /// The result for one scan.
    enum Outcome: Sendable {
        case imported
        /// The scan exists already.
        case skipped(id: String)
        case failed(ImportFailure)
    }

    /// The number of scans with a result.
    package var processed: Int { imported + skipped + failed }

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
