import Foundation
import Testing

@testable import Base

@Suite struct JSONElementReaderTests {
    private func read(
        _ text: String, _ kinds: JSONElementReader.Kinds = [.numbers, .texts], limit: Int = 100, step: Int = .max
    ) throws -> (elements: JSONElementReader.Elements, rest: Int)? {
        var reader = JSONElementReader(kinds, limit: limit)
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(bytes.count, start + min(step, bytes.count))])
            var position = 0
            if try reader.feed(piece.span, from: &position) { return (reader.elements, bytes.count - start - position) }
            #expect(position == piece.count)
            start += piece.count
        }
        return nil
    }

    @Test(arguments: [1, 2, 3, .max]) func elementsAreReadWhereverTheBytesAreCut(step: Int) throws {
        func check(_ text: String, _ expected: JSONElementReader.Elements) throws {
            let found = try #require(try read(text, step: step), "\(text)")
            #expect(found.elements == expected, "\(text)")
        }
        try check("[]", .none)
        try check("[0, 7,255 ]", .levels([0, 7, 255]))
        try check("[[[1,2],\n[3,4]],[[5]]]", .levels([1, 2, 3, 4, 5]))
        try check("[7.0, 2e2]", .levels([7, 200]))
        try check("[1,256]", .numbers([1, 256]))
        try check("[-0.5,1e-3,-12.25E+1]", .numbers([-0.5, 0.001, -122.5]))
        try check(#"["QUJD", ["RA=="]]"#, .texts([Array("ABC".utf8), Array("D".utf8)]))
        try check(#"["\/\/\u002b\u003D"]"#, .texts([Array(Data(base64Encoded: "//+=") ?? Data())]))
    }

    @Test func whatFollowsTheArrayIsLeft() throws {
        #expect(try read("[1,2],\"b\"")?.rest == 4)
        #expect(try read("[[1],[2]") == nil)
    }

    @Test(arguments: [
        "[01]", "[+1]", "[1.]", "[.5]", "[1e]", "[-]", "[NaN]", "[Infinity]", "[1,]", "[,1]", "[1 2]", "[1,\"QQ==\"]",
        "[null]", "[true]", "[{}]", "{", "1", "[1e1e1]", "[\"\n\"]",
        String(repeating: "[", count: 17), "[" + String(repeating: "1", count: 129) + "]",
    ]) func whatIsNoArrayOfElementsIsRefused(text: String) {
        #expect(throws: JSONElementReader.Failure.malformed, "\(text)") { try read(text) }
    }

    @Test func theFirstElementTooManyEndsIt() throws {
        var reader = JSONElementReader(.levels, limit: 3)
        var position = 0
        let bytes = Array("[1,2,3,4,5,6,7,8".utf8)
        #expect(throws: JSONElementReader.Failure.tooMany(limit: 3)) { try reader.feed(bytes.span, from: &position) }
        #expect(position == 7)
        #expect(try read("[1,2,3]", .levels, limit: 3)?.elements == .levels([1, 2, 3]))
        #expect(throws: JSONElementReader.Failure.notLevel) { try read("[1,2.5]", .levels) }
        #expect(throws: JSONElementReader.Failure.notFinite) { try read("[1e39]") }
        #expect(throws: JSONElementReader.Failure.notBase64) { try read(#"["A"]"#) }
        #expect(throws: JSONElementReader.Failure.malformed) { try read(#"["QQ=="]"#, .numbers) }
    }

    /// Every number equals Foundation's, bit for bit.
    @Test func numbersHaveTheNearestValue() throws {
        var state: UInt64 = 34
        func random() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11 ^ state
        }
        var texts = ["0", "-0", "-0.0", "1e22", "1e23", "123456789012345678901234567890", "1e-45", "3.4028235e38"]
        for _ in 0..<2000 {
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: random()))
            let double = Double(bitPattern: random())
            if float.isFinite { texts += ["\(float)", "\(Double(float))"] }
            if Float(double).isFinite { texts.append("\(double)") }
            texts.append("0.\(random() % 1000)\(random() % 1_000_000_007)")
        }
        let json = "[" + texts.joined(separator: ",") + ",-1]"
        let expected = try JSONDecoder().decode([Double].self, from: Data(json.utf8)).map(Float.init)
        guard case .numbers(let found)? = try read(json, limit: .max)?.elements else {
            Issue.record("no numbers")
            return
        }
        #expect(found.map(\.bitPattern) == expected.map(\.bitPattern))
    }
}
