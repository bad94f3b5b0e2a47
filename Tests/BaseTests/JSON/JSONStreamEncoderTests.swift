import Foundation
import Testing

@testable import Base

/// A type for every feature. The output must equal that of Foundation's encoder.
@Suite struct JSONStreamEncoderTests {
    struct Everything: Codable, Equatable {
        enum Kind: String, Codable { case cat, dog }
        enum Choice: Codable, Equatable { case none, some(breed: String, Int) }

        struct Part: Codable, Equatable {
            var name = "a\"b\\c/\u{0}\u{1f}\u{7f}\n\t äö🐈‍⬛\u{2028}e\u{301}"
            var share = 1.0 / 3
        }

        var wholeNumber = 7.0
        var small = Double.leastNonzeroMagnitude
        var large = 1e300
        var negativeZero = -0.0
        var single: Float = 0.1
        var integers: [Int64] = [.min, 0, .max]
        var bytes: [UInt8] = [0, 255]
        var other: [Int8] = [-1]
        var unsigned: UInt64 = .max
        var flag = true
        var flags = [true, false]
        var nothing: String?
        var holes: [Int?] = [1, nil, 3]
        var kind = Kind.dog
        var choice = Choice.some(breed: "pug", 2)
        var choices = [Choice.none]
        var part = Part()
        var parts = [Part(), Part(name: "", share: 0)]
        var nested = [[Part()], []]
        var photoUrl = "/history/1"
        var sha256Digest = "00"
        var namedParts = ["zebraHead": Part(), "cats": Part(name: "x", share: 1), "": Part()]
        var lists = ["b": [1.5], "a": [], "c": [2, 3]]
        var numbered = [3: "c", 1: "a"]
        var empty: [String: Int] = [:]
    }

    func object(_ bytes: [UInt8]) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }

    @Test(arguments: [false, true]) func saysWhatFoundationSays(_ isSnake: Bool) throws {
        let theirs = JSONEncoder()
        if isSnake { theirs.keyEncodingStrategy = .convertToSnakeCase }
        let ours = try JSONStreamEncoder(keys: isSnake ? .snakeCase : .asDeclared).encode(Everything())
        #expect(try object(ours) == object([UInt8](theirs.encode(Everything()))))
        if !isSnake { #expect(try JSONDecoder().decode(Everything.self, from: Data(ours)) == Everything()) }
    }

    @Test func dictionariesAreSortedAndMembersAreNot() throws {
        struct Value: Encodable {
            let zulu = 1
            let alpha = ["b": 1, "c": 2, "a": 3]
        }
        let text = String(decoding: try JSONStreamEncoder().encode(Value()), as: UTF8.self)
        #expect(text == #"{"zulu":1,"alpha":{"a":3,"b":1,"c":2}}"#)
    }

    @Test func valuesThatAreNoObjects() throws {
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try JSONStreamEncoder().encode(value), as: UTF8.self)
        }
        #expect(try text("a") == #""a""#)
        #expect(try text(["a", "b"]) == #"["a","b"]"#)
        #expect(try text(1.5) == "1.5")
        #expect(try text(Float(0.1)) == "0.1")
        #expect(try text(Int?.none) == "null")
        #expect(try text([Int]()) == "[]")
        #expect(try text([String: Int]()) == "{}")
        struct Empty: Encodable { func encode(to encoder: any Encoder) {} }
        #expect(try text([Empty()]) == "[{}]")
    }

    @Test func datesAreWrittenAsTold() throws {
        let encoder = JSONStreamEncoder(date: { "\(Int($0.timeIntervalSince1970))" })
        let text = String(decoding: try encoder.encode([Date(timeIntervalSince1970: 5)]), as: UTF8.self)
        #expect(text == #"["5"]"#)
    }

    /// Two containers for one value, nested containers, and containers for superclasses.
    @Test func containersThatAreWrittenByHand() throws {
        enum Key: String, CodingKey { case one, two, three, four, five }
        struct Value: Encodable {
            func encode(to encoder: any Encoder) throws {
                var first = encoder.container(keyedBy: Key.self)
                try first.encode(1, forKey: .one)
                var nested = first.nestedContainer(keyedBy: Key.self, forKey: .two)
                try nested.encode(true, forKey: .one)
                var list = nested.nestedUnkeyedContainer(forKey: .two)
                try list.encode(1)
                var inner = list.nestedContainer(keyedBy: Key.self)
                try inner.encodeNil(forKey: .one)
                var innermost = list.nestedUnkeyedContainer()
                try innermost.encode("x")
                try "super".encode(to: list.superEncoder())
                var second = encoder.container(keyedBy: Key.self)
                try second.encode(3, forKey: .three)
                try 4.encode(to: second.superEncoder(forKey: .four))
                try 5.encode(to: second.superEncoder())
            }
        }
        let ours = try JSONStreamEncoder().encode(Value())
        #expect(try object(ours) == object([UInt8](JSONEncoder().encode(Value()))))
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan]) func refusesNumbersThatJSONHasNot(_ number: Double) {
        #expect(throws: EncodingError.self) { try JSONStreamEncoder().encode(["a": ["b": number]]) }
        #expect(throws: EncodingError.self) { try JSONStreamEncoder().encode(Float(number)) }
    }
}
