internal import COpenSSL

/// The SHA-256 of some bytes (FIPS 180-4): the identity of a photo, a model's weights or a stored file.
package struct ContentDigest: Hashable, Sendable {
    private typealias Words = (UInt64, UInt64, UInt64, UInt64)

    // The 32 bytes, with the most significant first. They are not a vector: that is aligned to 32 bytes, and the
    // contexts of asynchronous functions only to 16 (Docs/decisions/08).
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    package init(of bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { ContentDigest(of: $0) }
    }

    package init(of bytes: UnsafeRawBufferPointer) {
        var words: Words = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { digest in
            _ = EVP_Digest(
                bytes.baseAddress, bytes.count, digest.assumingMemoryBound(to: UInt8.self).baseAddress, nil,
                EVP_sha256(),
                nil)
        }
        self.init(bigEndian: words)
    }

    /// Reads 64 hexadecimal digits in either case; nil for any other text.
    package init?(_ hexadecimal: String) {
        var words: Words = (0, 0, 0, 0)
        var count = 0
        for character in hexadecimal.utf8 {
            guard count < 64, let digit = Hexadecimal.value(of: character) else { return nil }
            withUnsafeMutableBytes(of: &words) { $0[count / 2] = $0[count / 2] << 4 | digit }
            count += 1
        }
        guard count == 64 else { return nil }
        self.init(bigEndian: words)
    }

    /// - Parameter words: the digest with its bytes in memory order.
    private init(bigEndian words: Words) {
        first = UInt64(bigEndian: words.0)
        second = UInt64(bigEndian: words.1)
        third = UInt64(bigEndian: words.2)
        fourth = UInt64(bigEndian: words.3)
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        [first, second, third, fourth].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    /// 64 lower-case hexadecimal digits, which are safe as a file name.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 64) { text in
            var index = 0
            for word in [first, second, third, fourth] {
                for shift in stride(from: 60, through: 0, by: -4) {
                    text[index] = Hexadecimal.digit(UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15)
                    index += 1
                }
            }
            return 64
        }
    }
}

/// HMAC-SHA256 (RFC 2104), a code of a message that only the owner of the key can make.
package enum MessageAuthentication {
    /// - Returns: 32 bytes.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var length: UInt32 = 32
            _ = HMAC(EVP_sha256(), key, CInt(key.count), message, message.count, buffer.baseAddress, &length)
            count = Int(length)
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
