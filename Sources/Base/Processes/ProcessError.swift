internal import Glibc

/// Why a process could not be started, locked in or listened to.
package struct ProcessError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// What an error number of the system means.
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
