import Base
import CZlib
import Testing
@testable import HTTP

@Suite("Gzip")
struct GzipTests {
    /// Expands with zlib itself, which verifies header and checksum.
    static func expand(_ bytes: [UInt8]) throws -> [UInt8] {
        var stream = z_stream()
        try #require(inflateInit2_(&stream, 31, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { inflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: 1 << 22)
        let room = output.count
        let code = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return inflate(&stream, Z_FINISH)
            }
        }
        try #require(code == Z_STREAM_END && stream.avail_in == 0)
        return Array(output.prefix(room - Int(stream.avail_out)))
    }

    @Test("expands to the original, at every level and size", arguments: [0, 1, 255, 256, 1000, 100_000, 3_000_000])
    func roundTrip(size: Int) throws {
        let content = (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
        for level in [1, 6, 9] {
            #expect(try Self.expand(Gzip.compress(content, level: level)) == content)
        }
    }

    @Test("is the same for the same content")
    func deterministic() throws {
        let content = [UInt8](repeating: 65, count: 10_000)
        #expect(try Gzip.compress(content) == Gzip.compress(content))
        #expect(try Array(Gzip.compress(content)[4..<8]) == [0, 0, 0, 0])
    }

    @Test("knows which types shrink")
    func types() {
        for text in ["text/html", "application/json", "application/problem+json", "image/svg+xml", "text/event-stream"]
        {
            #expect(MediaType(text).map(Gzip.isCompressible) == true, "\(text)")
        }
        for text in ["image/jpeg", "application/zip", "video/mp4", "application/octet-stream", "font/woff2"] {
            #expect(MediaType(text).map(Gzip.isCompressible) == false, "\(text)")
        }
    }

    @Test("refuses an invalid level")
    func level() {
        #expect(throws: CompressionError.self) { try Gzip.compress([1], level: 10) }
    }
}
