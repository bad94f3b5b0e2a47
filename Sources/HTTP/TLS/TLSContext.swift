import Base
internal import COpenSSL
import Glibc

/// A certificate with its key, and the rules of all sessions made from it: TLS 1.2 and 1.3, ALPN `http/1.1` (RFC 7301),
/// and resumption by tickets (RFC 5077, RFC 8446 §4.6.1), for which the server stores nothing. The suites are Mozilla's
/// "intermediate" ones without finite-field Diffie-Hellman, which costs a server much and a client little.
///
/// `@unchecked Sendable`: it is not changed after `init`, and OpenSSL counts its references atomically.
final class TLSContext: @unchecked Sendable {
    private static let suites =
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
        + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
    private static let groups = "X25519:P-256:P-384"

    private let pointer: OpaquePointer

    init(_ configuration: TLSConfiguration) throws(TLSError) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw TLSError("Cannot set up TLS") }
        // From here on `deinit` frees it.
        self.pointer = pointer
        menagerie_ssl_ctx_harden(pointer)
        menagerie_ssl_ctx_set_modes(pointer)
        menagerie_ssl_ctx_disable_session_cache(pointer)
        let version = configuration.minimumVersion == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION
        let name = Array("menagerie".utf8)
        guard menagerie_ssl_ctx_set_min_version(pointer, version) == 1,
            SSL_CTX_set_cipher_list(pointer, Self.suites) == 1,
            menagerie_ssl_ctx_set_groups(pointer, Self.groups) == 1,
            SSL_CTX_set_session_id_context(pointer, name, CUnsignedInt(name.count)) == 1
        else { throw TLSError("Cannot set up TLS") }
        SSL_CTX_set_alpn_select_cb(pointer, Self.selectProtocol, nil)
        // Without this callback OpenSSL would ask at the terminal for the password of an encrypted key.
        SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in -1 }
        let (chain, key) = (configuration.certificateChainPath, configuration.keyPath)
        for file in [chain, key] where FileSystem.mayBlock(file) {
            throw TLSError("“\(file)” is a pipe, a socket or a device, not a file")
        }
        guard SSL_CTX_use_certificate_chain_file(pointer, chain) == 1 else {
            throw TLSError("Cannot read the certificate chain “\(chain)”, which must be PEM")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
            throw TLSError("Cannot read the private key “\(key)”, which must be unencrypted PEM and the certificate's")
        }
        guard SSL_CTX_check_private_key(pointer) == 1 else {
            throw TLSError("The private key “\(key)” is not that of the certificate “\(chain)”")
        }
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// The reason why clients refuse the certificate at this time. Nil if its dates are right.
    var dateFault: String? {
        guard let certificate = SSL_CTX_get0_certificate(pointer) else { return nil }
        if X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0 { return "it has expired" }
        if X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0 { return "it is not valid yet" }
        return nil
    }

    /// The end of the certificate's validity, in seconds since 1970.
    var expiry: Int? {
        var date = tm()
        guard let certificate = SSL_CTX_get0_certificate(pointer),
            ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &date) == 1
        else { return nil }
        return timegm(&date)
    }

    /// A session on that socket; nil if memory is lacking.
    func makeSession(_ descriptor: CInt) -> TLSSession? {
        guard let session = SSL_new(pointer) else { return nil }
        guard SSL_set_fd(session, descriptor) == 1 else {
            SSL_free(session)
            return nil
        }
        SSL_set_accept_state(session)
        return TLSSession(takingOver: session)
    }

    /// Takes `http/1.1` from the client's list; a list without it fails the handshake (RFC 7301 §3.2).
    private static let selectProtocol: SSL_CTX_alpn_select_cb_func = { _, selected, length, list, listLength, _ in
        guard let list, let selected, let length else { return SSL_TLSEXT_ERR_NOACK }
        let offers = UnsafeBufferPointer(start: list, count: Int(listLength))
        var start = 0
        while start < offers.count {
            let end = start + 1 + Int(offers[start])
            guard end <= offers.count else { break }
            if offers[(start + 1)..<end].elementsEqual("http/1.1".utf8) {
                selected.pointee = list + start + 1
                length.pointee = offers[start]
                return SSL_TLSEXT_ERR_OK
            }
            start = end
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
}

/// The certificate in use. It can be replaced while connections are open; each keeps the one that it began with.
final class TLSCertificates: Sendable {
    let configuration: TLSConfiguration
    private let context: Locked<TLSContext>

    init(_ configuration: TLSConfiguration) throws(TLSError) {
        self.configuration = configuration
        context = Locked(try TLSContext(configuration))
    }

    /// The context for new connections.
    var current: TLSContext { context.withLock { $0 } }

    /// Reads the files again. Session tickets under the old certificate are refused from then on.
    /// - Throws: ``TLSError`` if the files cannot be used. The old certificate stays then.
    func reload() throws(TLSError) {
        let fresh = try TLSContext(configuration)
        context.withLock { $0 = fresh }
    }
}
