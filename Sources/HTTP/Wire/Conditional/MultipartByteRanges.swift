/// Several ranges of one representation as `multipart/byteranges` (RFC 9110 §14.6).
struct MultipartByteRanges {
    /// The bytes before each range.
    private let heads: [[UInt8]]
    private let tail: [UInt8]
    private let boundary: String
    private let ranges: [Range<Int>]
    private let representation: Representation

    init(_ ranges: [Range<Int>], of representation: Representation) {
        // It must not occur in the content.
        let boundary = String(UInt128.random(in: .min ... .max), radix: 36)
        self.ranges = ranges
        self.representation = representation
        self.boundary = boundary
        heads = ranges.enumerated().map { index, range in
            let fields = """
                --\(boundary)\r
                Content-Type: \(representation.contentType)\r
                Content-Range: \(Representation.contentRange(range, of: representation.content.count))\r
                \r

                """
            return Array(((index == 0 ? "" : "\r\n") + fields).utf8)
        }
        tail = Array("\r\n--\(boundary)--\r\n".utf8)
    }

    func response() -> Response {
        let fields = representation.fields(type: "multipart/byteranges; boundary=\(boundary)")
        return Response(status: .partialContent, headers: fields, body: body())
    }

    private func body() -> ResponseBody {
        var parts: [ResponseBody.Part] = []
        for (head, range) in zip(heads, ranges) { parts += [.bytes(head), representation.content[range]] }
        return .parts(parts + [.bytes(tail)])
    }
}
