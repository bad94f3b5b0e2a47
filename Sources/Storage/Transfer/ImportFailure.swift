import Base

/// The reason why a scan was not imported.
package struct ImportFailure: Error {
    /// A stable code for programs.
    package enum Code: String, Encodable, Sendable {
        /// The line has more than `limit` bytes.
        case lineTooLong = "line-too-long"
        /// The line is not a JSON object.
        case noObject = "no-object"
        case missingField = "missing-field"
        /// The member `field` has the wrong type or an impossible value.
        case invalidField = "invalid-field"
        /// The photo is missing from the archive, or its file is unreadable.
        case archive
        /// The photo is larger than stored photos may be.
        case photoTooLarge = "photo-too-large"
        /// The photo cannot be read.
        case photo
    }

    let code: Code
    /// The reason in English.
    let detail: String
    private(set) var field: String?
    private(set) var limit: Int?

    static func lineTooLong(limit: Int) -> ImportFailure {
        ImportFailure(code: .lineTooLong, detail: "the line has more than \(limit) bytes", limit: limit)
    }

    static let noObject = ImportFailure(
        code: .noObject,
        detail: "the line is not a JSON object in UTF-8, or a number in it is too large or not whole")

    /// The failure of a line that is not a scan.
    init(_ error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            let field = Self.name(context.codingPath + [key])
            self.init(code: .missingField, detail: "“\(field)” is missing", field: field)
        case DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty,
            DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty:
            let field = Self.name(context.codingPath)
            self.init(code: .invalidField, detail: "“\(field)” is of the wrong kind", field: field)
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            self.init(code: .invalidField, detail: context.debugDescription, field: Self.name(context.codingPath))
        default:
            self = .noObject
        }
    }

    init(_ error: ArchiveError) { self.init(code: .archive, detail: error.description) }

    /// The failure; nil if the error concerns the other scans as well.
    init?(_ error: HistoryError) {
        switch error {
        case .invalid(let field, _): self.init(code: .invalidField, detail: error.description, field: field)
        case .photoTooLarge(_, let limit):
            self.init(code: .photoTooLarge, detail: error.description, limit: limit)
        default: return nil
        }
    }

    /// The failure of a photo that cannot be read.
    package static func photo(_ reason: String) -> ImportFailure {
        ImportFailure(code: .photo, detail: "its photo: \(reason)")
    }

    private init(code: Code, detail: String, field: String? = nil, limit: Int? = nil) {
        (self.code, self.detail, self.field, self.limit) = (code, detail, field, limit)
    }

    /// The dotted name of a key, such as `predictions.0.confidence`.
    private static func name(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
