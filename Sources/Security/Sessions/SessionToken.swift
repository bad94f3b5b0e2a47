import Base
package import Foundation
package import HTTP

/// A signed-in browser sends this token in place of a key. It names the key and the expiry, under a code (HMAC-SHA256)
/// that only a holder of the key's digest can make. The service does not store it, so every process with the same keys
/// accepts it, and it ends with its key.
package struct SessionToken: Sendable {
    private static let version: UInt8 = 1
    /// Version, key, expiry, number, code.
    private static let length = 1 + 8 + 8 + 8 + 32

    package let key: AccessKey
    /// The expiry, in whole seconds.
    package let expires: Date
    /// A number that distinguishes the sessions of one key.
    let number: UInt64

    init(key: AccessKey, expires: Date) {
        self.key = key
        self.expires = Date(timeIntervalSince1970: expires.timeIntervalSince1970.rounded(.down))
        number = UInt64.random(in: .min ... .max)
    }

    /// Reads a token; nil unless it belongs to one of the keys and is still valid.
    init?(_ text: String, keys: [AccessKey], now: Date) {
        guard text.utf8.count == (Self.length * 4 + 2) / 3, let bytes = Base64URL.decode(text),
            bytes.count == Self.length,
            bytes[0] == Self.version, case let identifier = Self.number(bytes[1..<9]),
            let key = keys.first(where: { $0.digest.identifier == identifier }),
            KeyDigest.areEqual(bytes[25...], Self.code(Array(bytes[..<25]), key))
        else { return nil }
        let seconds = Self.number(bytes[9..<17])
        guard seconds < UInt64(Int32.max) * 1000 else { return nil }
        expires = Date(timeIntervalSince1970: TimeInterval(seconds))
        guard expires > now else { return nil }
        self.key = key
        number = Self.number(bytes[17..<25])
    }

    package var text: String {
        let content =
            [Self.version] + Self.bytes(key.digest.identifier)
            + Self.bytes(UInt64(max(0, expires.timeIntervalSince1970)))
            + Self.bytes(number)
        return Base64URL.encode(content + Self.code(content, key))
    }

    private static func code(_ content: [UInt8], _ key: AccessKey) -> [UInt8] {
        key.digest.authenticationCode(of: Array("menagerie session".utf8) + content)
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

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
