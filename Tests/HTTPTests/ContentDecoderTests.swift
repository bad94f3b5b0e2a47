import Base
import Testing
@testable import HTTP

@Suite("Bodies with a content coding")
struct ContentDecoderTests {
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 21) }

    private static func request(_ body: [UInt8], _ coding: String?) -> Request {
        var request = Request(
            method: .post, headers: coding.map { ["Content-Encoding": $0] } ?? [:], body: body)
        request.decodeContent()
        return request
    }

    private func decode(_ body: [UInt8], _ coding: String?, limit: Int = 1 << 20) async throws -> [UInt8] {
        try await Self.request(body, coding).body.collect(upTo: limit)
    }

    /// Wraps deflate data in zlib's format: header, raw data, Adler-32.
    private static func zlib(_ bytes: [UInt8]) throws -> [UInt8] {
        var packed: [UInt8] = [0x78, 0x9C]
        try Deflater(format: .raw).deflate(bytes, flush: .finish, into: &packed)
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return packed + [UInt8(high >> 8), UInt8(high & 0xFF), UInt8(low >> 8), UInt8(low & 0xFF)]
    }

    @Test("are read as the original content", arguments: ["gzip", "x-gzip", "GZIP", " gzip ", ", gzip"])
    func gzip(name: String) async throws {
        #expect(try await decode(Gzip.compress(Self.content), name) == Self.content)
        let two =
            try Gzip.compress(Array(Self.content.prefix(1000))) + Gzip.compress(Array(Self.content.dropFirst(1000)))
        #expect(try await decode(two, name) == Self.content)
        #expect(Self.request([], name).headers.contains("Content-Encoding") == false)
    }

    @Test("may be of deflate, with and without zlib's header")
    func deflate() async throws {
        #expect(try await decode(Self.zlib(Self.content), "deflate") == Self.content)
        var raw: [UInt8] = []
        try Deflater(format: .raw).deflate(Self.content, flush: .finish, into: &raw)
        #expect(try await decode(raw, "deflate") == Self.content)
        #expect(try await decode(Self.content, "identity") == Self.content)
        #expect(try await decode(Self.content, nil) == Self.content)
        #expect(try await decode([], "gzip") == [])
    }

    @Test("give the same in whatever pieces they come", arguments: [1, 2, 7, 1000])
    func pieces(size: Int) throws {
        let content = Array(Self.content.prefix(5000))
        for (coding, packed) in [(ContentCoding.gzip, try Gzip.compress(content)), (.deflate, try Self.zlib(content))] {
            let decoder = try ContentDecoder(coding)
            var all: [UInt8] = []
            for start in stride(from: 0, to: packed.count, by: size) {
                decoder.feed(Array(packed[start..<min(start + size, packed.count)]))
                while let piece = try decoder.next() { all += piece }
            }
            try decoder.finish()
            #expect(all == content)
        }
    }

    @Test("are counted as they are unpacked, a piece at a time")
    func bomb() async throws {
        let zeros = try Gzip.compress([UInt8](repeating: 0, count: 64 << 20), level: 9)
        #expect(zeros.count < 100_000)
        await #expect(throws: RequestBodyError.tooLarge(limit: 1 << 20)) { try await decode(zeros, "gzip") }
        var largest = 0
        var total = 0
        for try await piece in Self.request(zeros, "gzip").body {
            largest = max(largest, piece.count)
            total += piece.count
        }
        #expect(total == 64 << 20 && largest <= ContentDecoder.pieceBytes)
    }

    @Test("are refused when they are not what they say, or cut off")
    func damaged() async throws {
        let packed = try Gzip.compress(Self.content)
        for body in [Self.content, Array(packed.dropLast()), Array(packed.prefix(5)), packed + [1, 2, 3]] {
            let error = await #expect(throws: RequestBodyError.self) { try await decode(body, "gzip") }
            #expect(error?.problem.status == .badRequest)
        }
        var wrong = packed
        wrong[packed.count - 5] ^= 1
        await #expect(throws: RequestBodyError.self) { try await decode(wrong, "gzip") }
        await #expect(throws: RequestBodyError.self) { try await decode([0x78], "deflate") }
    }

    @Test(
        "are refused where the coding is unknown, with those that are known", arguments: ["br", "gzip, gzip", "zstd"])
    func unknown(name: String) async throws {
        let error = await #expect(throws: RequestBodyError.self) { try await decode([1], name) }
        #expect(error?.problem.status == .unsupportedMediaType)
        #expect(error?.problem.headers["Accept-Encoding"] == "gzip, deflate")
    }
}
