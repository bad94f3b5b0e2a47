import Glibc

package struct SystemCallError: Error, Hashable, CustomStringConvertible {
    package let call: String
    /// errno.
    package let code: CInt

    package var description: String {
        "\(call) failed: \(String(cString: strerror(code))) (errno \(code))"
    }
}

/// An address on which the server cannot listen.
package struct ListeningError: Error, CustomStringConvertible {
    /// Host and port, or the path of a Unix domain socket.
    package let address: String
    package let cause: SystemCallError

    package var description: String {
        let isTaken = cause.code == EADDRINUSE
        return "cannot listen on \(address)\(isTaken ? ", where another program does" : ""): \(cause)"
    }
}
