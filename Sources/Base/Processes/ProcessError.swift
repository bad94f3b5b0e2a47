internal import Glibc

/// The reason why a process could not be started, locked in or read.
package struct ProcessError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// The system's text for an errno.
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
