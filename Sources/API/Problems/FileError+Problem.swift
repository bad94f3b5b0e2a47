package import Base
package import HTTP
import History

/// A full or read-only disk gives the same problem as in the history.
extension FileError: ProblemConvertible {
    package var problem: ProblemDetails { HistoryError(self).problem }
}
