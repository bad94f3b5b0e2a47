import Base
import HTTP
import Storage

extension ProblemDetails {
    /// 422: not one scan could be imported.
    static func nothingImported(_ report: ImportReport) -> ProblemDetails {
        let first = report.errors.first.map { "\($0.place): \($0.detail)" } ?? ""
        return nothingImported(
            report.failed == 1
                ? "The scan could not be taken; \(first)"
                : "None of the \(report.failed) scans could be taken; \(first)",
            extensions: [
                "failed": .integer(report.failed),
                "errors": .array(report.errors.map { .object($0.members) }),
            ])
    }

    /// A copy of the problem with the results of the import before it.
    func interrupting(_ report: ImportReport) -> ProblemDetails {
        guard report.processed > 0 else { return self }
        var problem = self
        let sentence =
            "Before, \(counted(report.imported, "scan")) came in; send the file again to complete the import."
        problem.detail = [detail, sentence].compactMap(\.self).joined(separator: " ")
        problem.extensions["imported"] = .integer(report.imported)
        problem.extensions["skipped"] = .integer(report.skipped)
        problem.extensions["failed"] = .integer(report.failed)
        return problem
    }
}

extension ImportReport.Failure {
    /// The failure as members of a problem.
    fileprivate var members: [String: JSONValue] {
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
