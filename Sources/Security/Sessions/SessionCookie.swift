import Foundation
package import HTTP

/// The cookie of a ``SessionToken`` (RFC 6265). Scripts cannot read it, and pages of other sites cannot make the
/// browser send it. Over HTTPS it is sent only encrypted, and nobody else can set it (`__Host-`, RFC 6265bis §4.1.3.2).
package enum SessionCookie {
    private static func name(isSecure: Bool) -> String { isSecure ? "__Host-menagerie_session" : "menagerie_session" }

    static func value(in request: Request) -> String? {
        guard request.headers.contains("Cookie") else { return nil }
        let wanted = name(isSecure: request.isSecure)
        for line in request.headers.values(for: "Cookie") {
            for pair in line.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == wanted {
                    return parts[1].trimmingCharacters(in: .whitespaces)
                }
            }
        }
        return nil
    }

    /// The value of Set-Cookie.
    /// - Parameter seconds: the time that the browser keeps the cookie; 0 removes it.
    package static func field(_ value: String, seconds: Int, for request: Request) -> String {
        "\(name(isSecure: request.isSecure))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (request.isSecure ? "; Secure" : "")
    }
}
