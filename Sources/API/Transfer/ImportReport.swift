/// What became of the scans of an import.
struct ImportReport: Encodable, Sendable {
    struct Failure: Encodable, Sendable {
        /// `line 7`, or `line 7 of scans/000001.jsonl`.
        let place: String
        let detail: String
    }

    /// How many failures are told one by one.
    static let maximumErrors = 100

    private(set) var imported = 0
    /// Scans that were there already.
    private(set) var skipped = 0
    private(set) var failed = 0
    private(set) var errors: [Failure] = []

    /// What became of one scan.
    enum Outcome: Sendable {
        case imported
        case skipped
        case failed(String)
    }

    mutating func add(_ outcome: Outcome, at place: String) {
        switch outcome {
        case .imported: imported += 1
        case .skipped: skipped += 1
        case .failed(let detail):
            failed += 1
            if errors.count < Self.maximumErrors { errors.append(Failure(place: place, detail: detail)) }
        }
    }
}
