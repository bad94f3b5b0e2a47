internal import COpenSSL

/// The SHA-256 of some bytes (FIPS 180-4), which is also the address under which `PhotoStore` keeps them.
package struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
    /// 64 lowercase hexadecimal digits; nothing else can be held, so a digest is safe as a file name.
    package let hexadecimal: String

    package var description: String { hexadecimal }

    /// Takes 64 hexadecimal digits in either case; nil for anything else.
    package init?(_ hexadecimal: String) {
        let lowered = hexadecimal.lowercased()
        guard lowered.utf8.count == 64, lowered.utf8.allSatisfy(Self.isHexadecimalDigit) else { return nil }
        self.hexadecimal = lowered
    }

    /// The digest of the bytes.
    package init(of bytes: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        let digits = Array("0123456789abcdef".utf8)
        hexadecimal = String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
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
