import Archives
import HTTP
import History

/// Why one scan of an import was not taken in.
struct ImportFailure: Sendable {
    /// Stable, for programs.
    enum Code: String, Encodable, Sendable {
        /// The line has more than `limit` bytes.
        case lineTooLong = "line-too-long"
        /// The line is no JSON object.
        case noObject = "no-object"
        /// The member `field` is missing.
        case missingField = "missing-field"
        /// The member `field` is of the wrong kind, or cannot be what it is.
        case invalidField = "invalid-field"
        /// The photo is missing in the archive, or its file there cannot be read.
        case archive
        /// The photo has more bytes than are stored.
        case photoTooLarge = "photo-too-large"
        /// The photo is none that can be read.
        case photo
    }

    let code: Code
    /// In English.
    let detail: String
    private(set) var field: String?
    private(set) var limit: Int?

    static func lineTooLong(limit: Int) -> ImportFailure {
        ImportFailure(code: .lineTooLong, detail: "the line has more than \(limit) bytes", limit: limit)
    }

    /// Of a line that is none of a scan.
    init(_ error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, _):
            self.init(code: .missingField, detail: "“\(key.stringValue)” is missing", field: key.stringValue)
        case DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty,
            DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty:
            let field = Self.path(context)
            self.init(code: .invalidField, detail: "“\(field)” is of the wrong kind", field: field)
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            self.init(code: .invalidField, detail: context.debugDescription, field: Self.path(context))
        default:
            self.init(code: .noObject, detail: "the line is no JSON object")
        }
    }

    init(_ error: ArchiveError) {
        self.init(code: .archive, detail: error.description)
    }

    /// Nil for what would befall the other scans as well.
    init?(_ error: HistoryError) {
        switch error {
        case .invalid(let field, _): self.init(code: .invalidField, detail: error.description, field: field)
        case .photoTooLarge(_, let limit):
            self.init(code: .photoTooLarge, detail: error.description, limit: limit)
        default: return nil
        }
    }

    /// Of a photo that cannot be read.
    init(photo problem: ProblemDetails) {
        self.init(code: .photo, detail: "its photo: \(problem.detail ?? problem.title)")
    }

    private init(code: Code, detail: String, field: String? = nil, limit: Int? = nil) {
        (self.code, self.detail, self.field, self.limit) = (code, detail, field, limit)
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}
