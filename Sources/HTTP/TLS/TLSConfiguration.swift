/// The settings for HTTPS.
package struct TLSConfiguration: Sendable, Hashable {
    /// The lowest version of TLS that a client may use.
    package enum Version: String, Sendable, Hashable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// A PEM file with the server's certificate, followed by those that lead to a root.
    package var certificateChainPath: String
    /// A PEM file with the private key, not encrypted.
    package var keyPath: String
    package var minimumVersion: Version
    /// The seconds for which browsers must use HTTPS (Strict-Transport-Security, RFC 6797); nil sends no such field.
    package var strictTransportMaxAge: Int?
    /// The time for a handshake, counted from the start of the connection.
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
