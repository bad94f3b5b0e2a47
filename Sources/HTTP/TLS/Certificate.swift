internal import COpenSSL
import Glibc

/// An X.509 certificate with its private key on P-256.
///
/// `@unchecked Sendable`: nothing is changed after `init`, and OpenSSL only reads the objects given to it here.
package final class Certificate: @unchecked Sendable {
    package enum Purpose: Sendable {
        /// Signs certificates of servers, but not those of other authorities.
        case authority
        /// Identifies a server at these addresses and names.
        case server(addresses: [String], names: [String])
    }

    private let certificate: OpaquePointer
    private let key: OpaquePointer

    /// Makes a certificate that is valid from an hour before `now`, in case a client's clock is slow.
    ///
    /// - Parameters:
    ///   - issuer: the authority that signs; nil makes a self-signed certificate.
    ///   - now: seconds since 1970.
    /// - Throws: ``TLSError`` if OpenSSL refuses.
    package init(
        name: String, purpose: Purpose, issuer: Certificate?, days: Int, now: Int
    ) throws(TLSError) {
        ERR_clear_error()
        guard let key = menagerie_ec_key() else { throw TLSError("Cannot make a key") }
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            throw TLSError("Cannot make a certificate")
        }
        // From here on `deinit` frees both.
        (self.key, self.certificate) = (key, certificate)
        var time = time_t(now)
        let subject = X509_get_subject_name(certificate)
        let (organisation, common) = (Array("Menagerie".utf8), Array(name.utf8))
        guard X509_set_version(certificate, 2) == 1, Self.number(certificate),
            X509_time_adj_ex(X509_getm_notBefore(certificate), 0, -3600, &time) != nil,
            X509_time_adj_ex(X509_getm_notAfter(certificate), CInt(days), 0, &time) != nil,
            X509_set_pubkey(certificate, key) == 1,
            X509_NAME_add_entry_by_txt(
                subject, "O", Self.utf8String, organisation, CInt(organisation.count), -1, 0) == 1,
            X509_NAME_add_entry_by_txt(subject, "CN", Self.utf8String, common, CInt(common.count), -1, 0) == 1,
            X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? subject) == 1,
            Self.extend(certificate, purpose, issuer: issuer?.certificate ?? certificate),
            X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0
        else { throw TLSError("Cannot make a certificate for “\(name)”") }
    }

    /// Reads a certificate and its key in PEM. From a chain it reads the first certificate.
    /// - Throws: ``TLSError`` if a text is not PEM or the key belongs to another certificate.
    package init(pem: [UInt8], keyPEM: [UInt8]) throws(TLSError) {
        ERR_clear_error()
        let certificate = Self.reading(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
        let key = Self.reading(keyPEM) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        guard let certificate, let key, X509_check_private_key(certificate, key) == 1 else {
            X509_free(certificate)
            EVP_PKEY_free(key)
            throw TLSError("This is not a certificate with its key")
        }
        (self.certificate, self.key) = (certificate, key)
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    package var pem: [UInt8] { Self.written { PEM_write_bio_X509($0, certificate) } }

    /// The private key as PKCS #8, not encrypted.
    package var keyPEM: [UInt8] { Self.written { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) } }

    /// The certificate in DER, which phones accept as a download.
    package var der: [UInt8] { Self.written { i2d_X509_bio($0, certificate) } }

    /// Whether the certificate is valid from a time before `now`, in seconds since 1970.
    package func hasBegun(at now: Int) -> Bool {
        var time = time_t(now)
        return X509_cmp_time(X509_get0_notBefore(certificate), &time) < 0
    }

    /// Whether the certificate ends later than `days` after `now`.
    package func lasts(days: Int, after now: Int) -> Bool {
        var time = time_t(now + days * 86_400)
        return X509_cmp_time(X509_get0_notAfter(certificate), &time) > 0
    }

    package func isSigned(by authority: Certificate) -> Bool {
        let isIt = X509_verify(certificate, authority.key) == 1
        ERR_clear_error()
        return isIt
    }

    /// Whether a client accepts the certificate for all of these addresses and names.
    package func serves(addresses: [String], names: [String]) -> Bool {
        addresses.allSatisfy { X509_check_ip_asc(certificate, $0, 0) == 1 }
            && names.allSatisfy { X509_check_host(certificate, $0, $0.utf8.count, 0, nil) == 1 }
    }

    /// The DNS names in `subjectAltName` (RFC 5280 §4.2.1.6), such as `*.zoo.example`. Addresses are left out.
    package var names: [String] {
        guard let list = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil).map(OpaquePointer.init) else {
            return []
        }
        defer { GENERAL_NAMES_free(list) }
        return (0..<OPENSSL_sk_num(list)).compactMap { index in
            var kind: CInt = 0
            guard let entry = OPENSSL_sk_value(list, index)?.assumingMemoryBound(to: GENERAL_NAME.self),
                let value = GENERAL_NAME_get0_value(entry, &kind)?.assumingMemoryBound(to: ASN1_STRING.self),
                kind == GEN_DNS, let text = ASN1_STRING_get0_data(value)
            else { return nil }
            let bytes = UnsafeBufferPointer(start: text, count: Int(ASN1_STRING_length(value)))
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    // MARK: Parts

    /// OpenSSL's MBSTRING_UTF8, a macro that Swift does not see.
    private static let utf8String: CInt = 0x1000

    /// A serial number of 127 random bits (CA/Browser Forum, Baseline Requirements §7.1).
    private static func number(_ certificate: OpaquePointer) -> Bool {
        guard let number = BN_new() else { return false }
        defer { BN_free(number) }
        return BN_rand(number, 127, 0, 0) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    private static func extend(_ certificate: OpaquePointer, _ purpose: Purpose, issuer: OpaquePointer) -> Bool {
        let fields: [(CInt, String)] =
            switch purpose {
            case .authority:
                [
                    (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
                    (NID_key_usage, "critical,keyCertSign,cRLSign"),
                    (NID_subject_key_identifier, "hash"),
                ]
            case .server(let addresses, let names):
                [
                    (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                    (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
                    (NID_authority_key_identifier, "keyid:always"),
                    (
                        NID_subject_alt_name,
                        (names.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }).joined(separator: ",")
                    ),
                ]
            }
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        return fields.allSatisfy { kind, value in
            guard let field = X509V3_EXT_nconf_nid(nil, &context, kind, value) else { return false }
            defer { X509_EXTENSION_free(field) }
            return X509_add_ext(certificate, field, -1) == 1
        }
    }

    private static func reading<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        bytes.withUnsafeBytes { bytes in
            guard let memory = BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)) else { return nil }
            defer { BIO_free(memory) }
            return body(memory)
        }
    }

    /// The bytes that `body` writes; empty if OpenSSL has no memory.
    private static func written(_ body: (OpaquePointer) -> CInt) -> [UInt8] {
        guard let memory = BIO_new(BIO_s_mem()) else { return [] }
        defer { BIO_free(memory) }
        guard body(memory) == 1 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = BIO_read(memory, &bytes, CInt(bytes.count))
        return Array(bytes.prefix(max(0, Int(count))))
    }
}
