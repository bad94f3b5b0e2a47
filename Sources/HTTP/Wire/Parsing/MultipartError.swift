/// The reason for refusing a multipart body (RFC 2046 §5.1, RFC 7578).
package enum MultipartError: Error, Hashable {
    case notFormData(String)
    /// The Content-Type has no usable `boundary` parameter: 1 to 70 printable ASCII characters, the last not a space.
    case invalidBoundary(String?)
    /// The bytes after a boundary are neither CRLF nor "--". `part` counts from 0.
    case malformedDelimiter(part: Int)
    /// A line of a part's header is not `name: value` with CRLF at its end.
    case malformedHeader(part: Int, line: String)
    /// The part has no readable `Content-Disposition: form-data` field.
    case malformedDisposition(part: Int, value: String?)
    /// The part's disposition has no `name` (RFC 7578 §4.2).
    case missingName(part: Int)
    /// The part has a Content-Transfer-Encoding that would need decoding, which RFC 7578 §4.7 forbids.
    case unsupportedTransferEncoding(part: Int, String)
    case unterminated(part: Int)
    case tooManyParts(limit: Int)
    /// This limit and the next two are in bytes.
    case headerTooLarge(part: Int, limit: Int)
    case partTooLarge(part: Int, limit: Int)
    case bodyTooLarge(limit: Int)
}

extension MultipartError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notFormData(let type):
            "The Content-Type is \"\(type)\"; multipart/form-data was expected."
        case .invalidBoundary(let boundary?):
            "The boundary \"\(boundary)\" is not 1 to 70 printable ASCII characters that end in no space."
        case .invalidBoundary(nil):
            "The Content-Type names no boundary; it should read multipart/form-data; boundary=…"
        case .malformedDelimiter(let part):
            "The boundary before part \(part) is followed by neither CRLF nor \"--\"."
        case .malformedHeader(let part, let line):
            "A header line of part \(part) is not \"name: value\" ended by CRLF: \"\(line)\"."
        case .malformedDisposition(let part, let value?):
            "The Content-Disposition of part \(part) should read form-data; name=\"…\", not \"\(value)\"."
        case .malformedDisposition(let part, nil):
            "Part \(part) has no Content-Disposition; it should read form-data; name=\"…\"."
        case .missingName(let part):
            "The Content-Disposition of part \(part) has no name parameter."
        case .unsupportedTransferEncoding(let part, let encoding):
            "Part \(part) has the Content-Transfer-Encoding \"\(encoding)\"; only binary, 8bit and 7bit are read."
        case .unterminated(let part):
            "The body ended in part \(part), before the closing boundary."
        case .tooManyParts(let limit):
            "The body has more than the \(limit) parts allowed here."
        case .headerTooLarge(let part, let limit):
            "The header of part \(part) is larger than the \(limit) bytes allowed here."
        case .partTooLarge(let part, let limit):
            "Part \(part) is larger than the \(limit) bytes allowed here."
        case .bodyTooLarge(let limit):
            "The body is larger than the \(limit) bytes allowed here."
        }
    }
}

extension MultipartError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .notFormData:
            ProblemDetails(.unsupportedMediaType, detail: description)
        case .tooManyParts, .headerTooLarge, .partTooLarge, .bodyTooLarge:
            ProblemDetails(.contentTooLarge, detail: description)
        default:
            ProblemDetails(
                type: "/problems/malformed-multipart", title: "Malformed multipart body", status: .badRequest,
                detail: description)
        }
    }
}
