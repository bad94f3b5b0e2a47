package import Archives
package import HTTP

extension ArchiveError: ProblemConvertible {
    package var problem: ProblemDetails { .malformedBody(description) }
}
