package import Archives
package import HTTP
import History

extension SpooledFile: ArchiveSource {}

extension ArchiveError: ProblemConvertible {
    package var problem: ProblemDetails { .malformedBody(description) }
}
