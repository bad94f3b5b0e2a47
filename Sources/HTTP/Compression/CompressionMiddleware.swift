/// Packs responses by gzip for clients that accept it (RFC 9110 §8.4).
///
/// The middleware leaves content alone that is small, packed already, a part (206), of a type that does not shrink, a
/// file, or marked `no-transform`. The entity tag becomes weak, so that it still matches If-None-Match weakly.
package struct CompressionMiddleware: Middleware {
    /// Content above this many bytes is packed while it is sent, so that the loop is not held up.
    package let inlineBytes: Int

    package init(inlineBytes: Int = 64 * 1024) {
        self.inlineBytes = inlineBytes
    }

    package func after(_ request: Request, _ response: inout Response) {
        if response.status == .notModified, let tag = response.headers["ETag"] {
            // A 304 carries the Vary that the 200 would have (RFC 9110 §15.4.5).
            response.headers.addVary("Accept-Encoding")
            if Self.isHeldPacked(tag, by: request) { response.headers["ETag"] = "W/" + tag }
            return
        }
        guard isEligible(response) else { return }
        response.headers.addVary("Accept-Encoding")
        guard AcceptEncoding.coding(for: request.headers) == .gzip, let body = packed(response.body) else { return }
        response.body = body
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = nil
        response.headers["Accept-Ranges"] = nil
        if let tag = response.headers["ETag"], !tag.hasPrefix("W/") { response.headers["ETag"] = "W/" + tag }
    }

    /// Whether a client has the content packed, and so names the weak form of the tag. A cache leaves stored content
    /// alone if the 304 has another tag (RFC 9111 §4.3.4).
    private static func isHeldPacked(_ tag: String, by request: Request) -> Bool {
        guard let tag = EntityTag(parsing: tag), !tag.isWeak,
            case .tags(let held) = EntityTagList("If-None-Match", in: request.headers)
        else { return false }
        return held.contains { $0.isWeak && $0.opaque == tag.opaque } && !held.contains(tag)
    }

    /// Nearly every answer passes here: cheap conditions first, and no String is made.
    private func isEligible(_ response: Response) -> Bool {
        let length: Int
        switch response.body {
        case .empty, .file, .parts, .webSocket: return false
        case .bytes(let bytes): length = bytes.count
        case .stream(let announced, _): length = announced ?? .max
        }
        guard length >= Gzip.minimumBytes, response.status.code >= 200, response.status != .noContent,
            response.status != .partialContent
        else { return false }
        let headers = response.headers
        guard let type = headers.firstIndex(of: "Content-Type"),
            headers.withValue(at: type, Gzip.isCompressible(contentType:))
        else { return false }
        return !headers.contains("Content-Encoding") && !headers.contains("Content-Range")
            && !headers.lists("no-transform", in: "Cache-Control")
    }

    private func packed(_ body: ResponseBody) -> ResponseBody? {
        switch body {
        case .empty, .file, .parts, .webSocket:
            return nil
        case .bytes(let bytes) where bytes.count <= inlineBytes:
            return (try? Gzip.compress(bytes)).map { .bytes($0) }
        case .bytes(let bytes):
            return .stream(length: nil) { [inlineBytes] writer in
                let packer = try GzipWriter(writer)
                for start in stride(from: 0, to: bytes.count, by: inlineBytes) {
                    try await packer.write(Array(bytes[start..<min(start + inlineBytes, bytes.count)]), flush: false)
                }
                try await packer.finish()
            }
        case .stream(_, let produce):
            return .stream(length: nil) { writer in
                let packer = try GzipWriter(writer)
                try await produce(ResponseBodyWriter { try await packer.write($0, flush: true) })
                try await packer.finish()
            }
        }
    }
}
