import COpenSSL

/// SHA-256 through OpenSSL (FIPS 180-4), as 64 lower-case hexadecimal digits.
package enum SHA256 {
    package static func hex(of bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { hex(of: $0) }
    }

    package static func hex(of bytes: UnsafeRawBufferPointer) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, EVP_sha256(), nil)
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
