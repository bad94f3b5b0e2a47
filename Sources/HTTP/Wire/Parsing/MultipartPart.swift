/// The header of one part of a form (RFC 7578 §4).
package struct MultipartHead: Sendable {
    /// The name of the form's field.
    package let name: String
    /// As the client wrote it: never use it as a path.
    package let filename: String?
    package let headers: HeaderFields

    package init(name: String, filename: String? = nil, headers: HeaderFields = [:]) {
        self.name = name
        self.filename = filename
        self.headers = headers
    }

    /// The part's Content-Type; nil when it is absent (RFC 7578 §4.4: then text/plain) or not a media type.
    package var contentType: MediaType? {
        headers["Content-Type"].flatMap { MediaType($0) }
    }
}

/// One whole part of a form.
package struct MultipartPart: Sendable {
    package let head: MultipartHead
    package let bytes: [UInt8]

    package init(head: MultipartHead, bytes: [UInt8]) {
        self.head = head
        self.bytes = bytes
    }

    package var name: String { head.name }
    package var filename: String? { head.filename }
    package var headers: HeaderFields { head.headers }
    package var contentType: MediaType? { head.contentType }
    /// The bytes as UTF-8; what is not becomes U+FFFD.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The caps of ``MultipartParser``. Sizes in bytes.
package struct MultipartLimits: Sendable, Hashable {
    package var parts: Int
    /// For the header of one part.
    package var headerBytes: Int
    /// For the content of one part.
    package var partBytes: Int
    /// For the whole body, with its boundaries.
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
