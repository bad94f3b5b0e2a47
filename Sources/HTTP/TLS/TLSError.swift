internal import COpenSSL
import Glibc

/// TLS cannot be set up.
package struct TLSError: Error, Hashable, CustomStringConvertible {
    /// What was attempted.
    package let action: String
    /// Why it failed, in OpenSSL's words.
    package let reason: String

    /// Takes the oldest error, which is the cause, off OpenSSL's queue and clears it.
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
