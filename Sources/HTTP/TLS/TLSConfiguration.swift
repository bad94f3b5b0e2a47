/// Serving HTTPS.
package struct TLSConfiguration: Sendable, Hashable {
    /// The lowest version spoken.
    package enum Version: String, Sendable, Hashable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// A PEM file: the server's certificate, then those that lead to a root.
    package var certificateChainPath: String
    /// A PEM file with the private key, not encrypted.
    package var keyPath: String
    package var minimumVersion: Version
    /// Seconds for which browsers shall come by HTTPS only (Strict-Transport-Security, RFC 6797); nil does not say.
    package var strictTransportMaxAge: Int?
    /// For a handshake, from the connection on.
    package var handshakeTimeout: Duration

    package init(
        certificateChainPath: String, keyPath: String, minimumVersion: Version = .tls12,
        strictTransportMaxAge: Int? = 63_072_000, handshakeTimeout: Duration = .seconds(10)
    ) {
        self.certificateChainPath = certificateChainPath
        self.keyPath = keyPath
        self.minimumVersion = minimumVersion
        self.strictTransportMaxAge = strictTransportMaxAge
        self.handshakeTimeout = handshakeTimeout
    }
}
