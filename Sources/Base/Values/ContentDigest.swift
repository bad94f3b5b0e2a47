internal import COpenSSL

/// The SHA-256 of some bytes (FIPS 180-4): the identity of a photo, a model's weights or a stored file.
package struct ContentDigest: Hashable, Sendable {
    /// The 32 bytes of the digest.
    private let bytes: SIMD32<UInt8>

    /// The digest of the bytes.
    package init(of bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { ContentDigest(of: $0) }
    }

    /// The digest of the bytes.
    package init(of bytes: UnsafeRawBufferPointer) {
        var digest = SIMD32<UInt8>()
        withUnsafeMutableBytes(of: &digest) { digest in
            _ = EVP_Digest(
                bytes.baseAddress, bytes.count, digest.assumingMemoryBound(to: UInt8.self).baseAddress, nil,
                EVP_sha256(),
                nil)
        }
        self.bytes = digest
    }

    /// Takes 64 hexadecimal digits in either case; nil for anything else.
    package init?(_ hexadecimal: String) {
        var digest = SIMD32<UInt8>()
        var count = 0
        for character in hexadecimal.utf8 {
            guard count < 64, let digit = Hexadecimal.value(of: character) else { return nil }
            digest[count / 2] = digest[count / 2] << 4 | digit
            count += 1
        }
        guard count == 64 else { return nil }
        bytes = digest
    }

    /// 64 lower-case hexadecimal digits, which are safe as a file name.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 64) { text in
            for index in 0..<32 {
                text[2 * index] = Hexadecimal.digit(bytes[index] >> 4)
                text[2 * index + 1] = Hexadecimal.digit(bytes[index] & 15)
            }
            return 64
        }
    }
}

extension ContentDigest: CustomStringConvertible {
    package var description: String { hexadecimal }
}

extension ContentDigest: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = ContentDigest(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a digest is 64 hexadecimal digits (SHA-256)")
        }
        self = digest
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hexadecimal)
    }
}
