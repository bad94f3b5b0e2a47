import Foundation
import Testing

@testable import API

@Suite struct JSONTests {
    private struct Note: Decodable { var note: String }

    @Test(
        "A comma before a closing bracket is refused, inside and at the end",
        arguments: [
            #"{"note": "a",}"#, "{\"note\": \"a\" , \n }", #"{"note": "a", "list": [1, [2,], 3]}"#, #"{"note": "\\",}"#,
        ])
    func superfluousComma(_ text: String) {
        #expect(JSON.object(in: Array(text.utf8)) == nil)
        #expect(throws: (any Error).self) { try JSON.decode(Note.self, from: Array(text.utf8)) }
    }

    @Test(
        "Commas and brackets inside a text are no structure",
        arguments: [
            #"{"note": ",}"}"#, #"{"note": "\",]"}"#, #"{"note": "\\\",}"}"#, #"{"note": "", "list": [[], {}]}"#,
        ])
    func textIsNoStructure(_ text: String) throws {
        #expect(JSON.object(in: Array(text.utf8)) != nil)
        _ = try JSON.decode(Note.self, from: Array(text.utf8))
    }

    @Test func otherEncodingsAreRefused() throws {
        let text = #"{"note": "a"}"#
        #expect(JSON.object(in: Array(text.utf8)) != nil)
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
            #expect(JSON.object(in: Array(try #require(text.data(using: encoding)))) == nil)
        }
    }
}
