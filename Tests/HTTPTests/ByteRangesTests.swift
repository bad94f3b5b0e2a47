import HTTP
import Testing

@Suite("Byte ranges")
struct ByteRangesTests {
    @Test(
        "selects as RFC 9110 §14.1.2 says, of 10000 bytes",
        arguments: [
            ("bytes=0-499", [0..<500]), ("bytes=500-999", [500..<1000]), ("bytes=-500", [9500..<10000]),
            ("bytes=9500-", [9500..<10000]), ("bytes=0-0,-1", [0..<1, 9999..<10000]),
            ("bytes= 0-999, 4500-5499, -1000", [0..<1000, 4500..<5500, 9000..<10000]),
            ("bytes=500-600,601-999", [500..<601, 601..<1000]), ("bytes=500-700,601-999", [500..<1000]),
            ("BYTES=0-0", [0..<1]), ("bytes=,0-0,,", [0..<1]), ("bytes=9999-10000", [9999..<10000]),
            ("bytes=0-99999999999999999999999", [0..<10000]), ("bytes=-20000", [0..<10000]),
            ("bytes=20000-,5-6", [5..<7]), ("bytes=10-19,0-9", [10..<20, 0..<10]),
            ("bytes=50-60,0-5,58-70", [50..<71, 0..<6]),
        ])
    func selection(value: String, ranges: [Range<Int>]) {
        #expect(ByteRanges(value)?.selection(length: 10000) == .ranges(ranges))
    }

    @Test("cannot satisfy a range beyond the end", arguments: ["bytes=10000-", "bytes=99999-100000", "bytes=-0"])
    func unsatisfiable(value: String) {
        #expect(ByteRanges(value)?.selection(length: 10000) == .unsatisfiable)
    }

    @Test("takes an empty representation")
    func empty() {
        #expect(ByteRanges("bytes=0-")?.selection(length: 0) == .unsatisfiable)
        #expect(ByteRanges("bytes=-5")?.selection(length: 0) == .whole)
    }

    @Test(
        "ignores what is malformed or of another unit",
        arguments: [
            "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=1", "bytes 0-1",
            "bytes=0-1;2-3",
            "bytes=0 - 1", "bytes=--1", "bytes=0-1-2", "items=0-1", "bytes=0x1-2", "bytes=0-1,x", "bytes=+1-2",
        ])
    func ignored(value: String) {
        #expect(ByteRanges(value) == nil)
    }

    @Test("bounds the number of ranges and of overlaps")
    func bounds() {
        let many = (0..<ByteRanges.maximumCount).map { "\($0 * 10)-\($0 * 10)" }
        #expect(ByteRanges("bytes=" + many.joined(separator: ",")) != nil)
        #expect(ByteRanges("bytes=" + (many + ["9000-9000"]).joined(separator: ",")) == nil)
        #expect(ByteRanges("bytes=0-,0-,0-")?.selection(length: 10) == .whole)
        #expect(ByteRanges("bytes=0-5,4-6,6-9")?.selection(length: 10) == .ranges([0..<10]))
    }
}
