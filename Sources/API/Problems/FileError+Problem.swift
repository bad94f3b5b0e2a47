package import Base
package import HTTP
import History

/// A disk that is full, or read-only, is the same to whoever writes to it.
extension FileError: ProblemConvertible {
    package var problem: ProblemDetails { HistoryError(self).problem }
}
