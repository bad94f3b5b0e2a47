package import Base

/// A content coding that this server supports (RFC 9110 §8.4.1). Requests may use any of them; responses use gzip only.
package enum ContentCoding: String, Hashable, Sendable, CaseIterable {
    case identity
    case gzip
    /// zlib's format (RFC 1950).
    case deflate

    /// - Parameter name: the name in a field; `x-gzip` means `gzip`.
    init?(name: String) {
        let name = name.lowercased()
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }

    /// The value of `Accept-Encoding` that tells clients what requests may use.
    static let accepted = "gzip, deflate"
}

/// gzip (RFC 1952) of content that is all in memory.
package enum Gzip {
    /// The smallest content, in bytes, that is worth packing.
    package static let minimumBytes = 1024

    /// Compresses the bytes. The same input gives the same output, because the header carries no time.
    /// - Parameter level: 1 (fast) to 9 (small).
    package static func compress(_ bytes: [UInt8], level: Int = 6) throws(CompressionError) -> [UInt8] {
        let deflater = try Deflater(format: .gzip, level: level)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count / 3 + 64)
        try deflater.deflate(bytes, flush: .finish, into: &output)
        return output
    }
}
