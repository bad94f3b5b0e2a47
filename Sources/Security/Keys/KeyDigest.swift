import Base
internal import COpenSSL

/// The SHA-256 of a key. A key has 256 random bits, so nobody can guess it from its digest. The slow functions that
/// protect passwords are not needed here.
struct KeyDigest: Sendable {
    private let digest: ContentDigest

    init(of key: UnsafeRawBufferPointer) {
        digest = ContentDigest(of: key)
    }

    /// Reads 64 hexadecimal digits; nil for any other text.
    init?(hexadecimal: String) {
        guard let digest = ContentDigest(hexadecimal) else { return nil }
        self.digest = digest
    }

    var hexadecimal: String { digest.hexadecimal }

    /// The first eight bytes, which distinguish keys and are not secret.
    var identifier: UInt64 { withUnsafeBytes(of: digest) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) } }

    /// Compares in constant time.
    func isEqual(to other: KeyDigest) -> Bool {
        withUnsafeBytes(of: digest) { own in
            withUnsafeBytes(of: other.digest) { CRYPTO_memcmp(own.baseAddress, $0.baseAddress, own.count) == 0 }
        }
    }

    /// The HMAC-SHA256 (RFC 2104) of a message, keyed with this digest.
    func authenticationCode(of message: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: digest) { MessageAuthentication.code(of: message, key: Array($0)) }
    }

    /// Whether two codes are equal, compared in constant time.
    static func areEqual(_ left: ArraySlice<UInt8>, _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(Array(left), right, right.count) == 0
    }
}
