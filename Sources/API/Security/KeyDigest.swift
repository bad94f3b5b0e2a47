internal import COpenSSL
import Foundation

/// The SHA-256 of a key. Keys are 256 random bits, so that nobody can guess one from its digest: the slow functions that
/// protect passwords, which people choose, would only cost time here.
struct KeyDigest: Sendable {
    /// 32 bytes.
    private let bytes: [UInt8]

    init(of key: UnsafeRawBufferPointer) {
        bytes = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            EVP_Digest(key.baseAddress, key.count, buffer.baseAddress, nil, EVP_sha256(), nil)
            count = 32
        }
    }

    /// Nil unless the text is 64 hexadecimal digits.
    init?(hexadecimal: String) {
        let digits = Array(hexadecimal.utf8)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 64, by: 2) {
            let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16), !pair.hasPrefix("+") else { return nil }
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Tells keys apart; no secret.
    var identifier: ArraySlice<UInt8> { bytes.prefix(8) }

    /// Takes as long whether they differ early, late or not at all.
    func isEqual(to other: KeyDigest) -> Bool {
        CRYPTO_memcmp(bytes, other.bytes, bytes.count) == 0
    }

    /// HMAC-SHA256 (RFC 2104) of a message, keyed with this digest.
    func authenticationCode(of message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var length: UInt32 = 32
            HMAC(EVP_sha256(), bytes, CInt(bytes.count), message, message.count, buffer.baseAddress, &length)
            count = Int(length)
        }
    }

    /// Whether two codes are the same, in a time that does not tell where they differ.
    static func areEqual(_ left: ArraySlice<UInt8>, _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(Array(left), right, right.count) == 0
    }
}

/// Base 64 with the alphabet that needs no escapes in addresses and cookies, without padding (RFC 4648 §5).
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func decode(_ text: String) -> [UInt8]? {
        guard !text.contains(where: { $0 == "+" || $0 == "/" || $0 == "=" }) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding).map {
            [UInt8]($0)
        }
    }
}
