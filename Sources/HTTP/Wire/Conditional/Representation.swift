/// A full representation of a resource, with the answers to conditional and partial requests for it.
package struct Representation: Sendable {
    package typealias Content = ResponseBody.Part

    package let content: Content
    package let contentType: String
    package let validators: Validators
    /// Further fields of a 200: Cache-Control, Vary, Content-Encoding …
    package let headers: HeaderFields
    /// All fields of a 200, put together once because most answers are a plain 200.
    private let wholeFields: HeaderFields

    package init(
        _ content: Content, type: MediaType, validators: Validators = Validators(), headers: HeaderFields = [:]
    ) {
        self.init(content, contentType: type.description, validators: validators, headers: headers)
    }

    package init(
        _ content: Content, contentType: String, validators: Validators = Validators(), headers: HeaderFields = [:]
    ) {
        self.content = content
        self.contentType = contentType
        self.validators = validators
        self.headers = headers
        wholeFields = Self.fields(headers, type: contentType, validators)
    }

    /// The answer 200, 206, 304, 412 or 416, as the request's conditions and ranges demand (RFC 9110 §13, §14).
    ///
    /// For HEAD it is the response to GET. The server leaves its body out.
    package func response(to request: Request) -> Response {
        guard request.headers.mayBeConditional else { return whole() }
        switch Preconditions.evaluate(method: request.method, headers: request.headers, validators: validators) {
        case .failed: return .problem(Preconditions.failure)
        case .notModified: return notModified()
        case .proceed: break
        }
        switch selection(for: request) {
        case .whole: return whole()
        case .ranges(let ranges) where ranges.count == 1: return partial(ranges[0])
        case .ranges(let ranges): return parts(ranges)
        case .unsatisfiable:
            return .problem(
                ProblemDetails(
                    .rangeNotSatisfiable, detail: "No range of the request lies within the \(content.count) bytes.",
                    headers: ["Content-Range": "bytes */\(content.count)", "Accept-Ranges": "bytes"]))
        }
    }

    private func selection(for request: Request) -> ByteRanges.Selection {
        // Ranges are defined for GET only (§14.2).
        let values = request.method == .get ? request.headers.values(for: "Range") : []
        guard values.count == 1, let ranges = ByteRanges(values[0]),
            Preconditions.honoursRange(headers: request.headers, validators: validators)
        else { return .whole }
        return ranges.selection(length: content.count)
    }

    private func whole() -> Response {
        Response(headers: wholeFields, body: ResponseBody(content))
    }

    private func partial(_ range: Range<Int>) -> Response {
        var fields = fields(type: contentType)
        fields.append(Self.contentRange(range, of: content.count), for: "Content-Range")
        return Response(status: .partialContent, headers: fields, body: ResponseBody(content[range]))
    }

    /// Several ranges as `multipart/byteranges` (§14.6).
    private func parts(_ ranges: [Range<Int>]) -> Response {
        // It must not occur in the content.
        let boundary = String(UInt128.random(in: .min ... .max), radix: 36)
        var parts: [ResponseBody.Part] = []
        for range in ranges {
            let head = """
                \(parts.isEmpty ? "" : "\r\n")--\(boundary)\r
                Content-Type: \(contentType)\r
                Content-Range: \(Self.contentRange(range, of: content.count))\r
                \r

                """
            parts += [.bytes(Array(head.utf8)), content[range]]
        }
        parts.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
        return Response(
            status: .partialContent, headers: fields(type: "multipart/byteranges; boundary=\(boundary)"),
            body: .parts(parts))
    }

    /// A 304 with the fields that a cache needs, without those that describe the content (§15.4.5).
    private func notModified() -> Response {
        var fields = HeaderFields()
        for (name, value) in headers {
            let lowercased = name.lowercased()
            if !lowercased.hasPrefix("content-") || lowercased == "content-location" {
                fields.append(value, for: name)
            }
        }
        if let tag = validators.entityTag {
            fields.append(tag.description, for: "ETag")
        } else if let modified = validators.lastModified {
            fields.append(modified.description, for: "Last-Modified")
        }
        return Response(status: .notModified, headers: fields)
    }

    private func fields(type: String) -> HeaderFields {
        Self.fields(headers, type: type, validators)
    }

    private static func fields(_ headers: HeaderFields, type: String, _ validators: Validators) -> HeaderFields {
        var fields = headers
        fields.append(type, for: "Content-Type")
        if let tag = validators.entityTag { fields.append(tag.description, for: "ETag") }
        if let modified = validators.lastModified { fields.append(modified.description, for: "Last-Modified") }
        fields.append("bytes", for: "Accept-Ranges")
        return fields
    }

    private static func contentRange(_ range: Range<Int>, of length: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
    }
}
