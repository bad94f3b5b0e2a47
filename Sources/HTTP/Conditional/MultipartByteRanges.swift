import Base
import Glibc

/// Several ranges of one representation as `multipart/byteranges` (RFC 9110 §14.6).
struct MultipartByteRanges {
    /// What stands before each range.
    private let heads: [[UInt8]]
    private let tail: [UInt8]
    private let boundary: String
    private let ranges: [Range<Int>]
    private let representation: Representation

    /// - Parameter boundary: must not occur in the content; a random one of 128 bits by default.
    init(
        _ ranges: [Range<Int>], of representation: Representation,
        boundary: String = String(UInt64.random(in: .min ... .max), radix: 36)
            + String(UInt64.random(in: .min ... .max), radix: 36)
    ) {
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
        switch representation.content {
        case .bytes(let bytes):
            var all: [UInt8] = []
            for (head, range) in zip(heads, ranges) {
                all += head
                all += bytes[range]
            }
            return .bytes(all + tail)
        case .file(let region):
            let length = heads.reduce(tail.count) { $0 + $1.count } + ranges.reduce(0) { $0 + $1.count }
            return .stream(length: length) { [heads, ranges, tail] writer in
                for (head, range) in zip(heads, ranges) {
                    try await writer.write(head)
                    var offset = region.offset + range.lowerBound
                    let end = region.offset + range.upperBound
                    while offset < end {
                        let piece = try await Self.read(
                            region.file, offset: offset, count: min(64 * 1024, end - offset))
                        try await writer.write(piece)
                        offset += piece.count
                    }
                }
                try await writer.write(tail)
            }
        }
    }

    private static let readers = BlockingPool(label: "menagerie.http.byte-ranges", width: 2, maximumPending: 16_384)

    /// Reads off the cooperative pool, since a disk may block.
    private static func read(_ file: OpenFile, offset: Int, count: Int) async throws(SystemCallError) -> [UInt8] {
        try await readers.run(whenFull: { _ in SystemCallError(call: "pread", code: EAGAIN) }) {
            () throws(SystemCallError) in
            var code: CInt = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                let result = pread(file.descriptor, buffer.baseAddress, count, off_t(offset))
                code = errno
                initialized = max(0, result)
            }
            // An end before the announced length means that the file was cut since: the answer must not go on.
            guard !bytes.isEmpty else { throw SystemCallError(call: "pread", code: code) }
            return bytes
        }
    }
}
