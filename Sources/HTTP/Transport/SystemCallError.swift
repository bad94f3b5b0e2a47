import Glibc

package struct SystemCallError: Error, Hashable, CustomStringConvertible {
    package let call: String
    /// errno.
    package let code: CInt

    package init(call: String, code: CInt) {
        self.call = call
        self.code = code
    }

    package var description: String {
        "\(call) failed: \(String(cString: strerror(code))) (errno \(code))"
    }
}
