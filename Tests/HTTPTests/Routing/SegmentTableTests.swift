@testable import HTTP
import Testing

@Suite struct SegmentTableTests {
    private func child(_ table: SegmentTable, _ segment: String) -> Int? {
        Array(segment.utf8).withUnsafeBufferPointer { table[$0] }
    }

    @Test func findsEverySegmentAndNoOther() {
        var table = SegmentTable()
        #expect(child(table, "a") == nil)
        for number in 0..<1000 { table.insert(Array("segment-\(number)".utf8), number) }
        for number in 0..<1000 { #expect(child(table, "segment-\(number)") == number) }
        for other in ["", "segment-", "segment-1000", "Segment-1"] { #expect(child(table, other) == nil) }
    }

    @Test func holdsTheEmptySegmentAndTellsBytesApart() {
        var table = SegmentTable()
        table.insert([], 1)
        table.insert(Array("\u{E9}".utf8), 2)
        #expect(child(table, "") == 1)
        #expect(child(table, "\u{E9}") == 2)
        #expect(child(table, "e\u{301}") == nil)
    }
}
