internal import COpenSSL
import Glibc

/// An error while TLS is set up.
package struct TLSError: Error, Hashable, CustomStringConvertible {
    package let action: String
    /// The reason in OpenSSL's words.
    package let reason: String

    /// Takes the oldest error, which is the cause, from OpenSSL's queue and clears the queue.
    init(_ action: String) {
        self.action = action
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else {
            reason = "unknown"
            return
        }
        reason = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            ERR_error_string_n(code, base, buffer.count)
            return String(cString: base)
        }
    }

    package var description: String { "\(action): \(reason)" }
}
