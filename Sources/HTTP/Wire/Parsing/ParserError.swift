/// The reason why a request cannot be served. The connection is closed after the answer, because the start of the next
/// request is uncertain (RFC 9112 §9.3, §11.2).
package struct ParserError: ProblemConvertible, Hashable {
    let status: Status
    /// A sentence that says what was wrong and what would be right.
    let detail: String

    @inline(never)
    init(_ status: Status, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    @inline(never)
    static func malformed(_ detail: String) -> ParserError {
        ParserError(.badRequest, detail)
    }

    @inline(never)
    static func tooLarge(limit: Int) -> ParserError {
        ParserError(.contentTooLarge, "The body is larger than the \(limit) bytes allowed.")
    }

    package var problem: ProblemDetails {
        ProblemDetails(status, detail: detail)
    }
}
