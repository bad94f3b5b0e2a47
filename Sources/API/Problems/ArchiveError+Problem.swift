package import Base
package import HTTP

extension ArchiveError: ProblemConvertible {
    package var problem: ProblemDetails { .malformedBody(description) }
}
