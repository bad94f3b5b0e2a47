/// The header of one part of a form (RFC 7578 §4).
package struct MultipartHead: Sendable {
    /// The name of the form's field.
    package let name: String
    /// The file name as the client wrote it. Never use it as a path.
    package let filename: String?
    package let headers: HeaderFields
}

/// One whole part of a form.
package struct MultipartPart: Sendable {
    package let head: MultipartHead
    package let bytes: [UInt8]

    package var name: String { head.name }
    /// The bytes as UTF-8. Invalid bytes become U+FFFD.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The limits of ``MultipartParser``. Sizes are in bytes.
package struct MultipartLimits: Sendable, Hashable {
    package var parts: Int
    /// The largest header of one part.
    package var headerBytes: Int
    /// The largest content of one part.
    package var partBytes: Int
    /// The largest body, with its boundaries.
    package var totalBytes: Int

    package init(
        parts: Int = 64, headerBytes: Int = 8 * 1024, partBytes: Int = 32 << 20, totalBytes: Int = 128 << 20
    ) {
        self.parts = parts
        self.headerBytes = headerBytes
        self.partBytes = partBytes
        self.totalBytes = totalBytes
    }
}
