import Foundation
import Testing

@testable import Storage

@Suite struct ImportFailureTests {
    private struct Line: Decodable {
        struct Entry: Decodable { var number: Double }
        var list: [Entry]
    }

    @Test(arguments: [
        (#"{"list":[{"number":1},{"number":"2"}]}"#, "“list.1.number” is of the wrong kind"),
        (#"{"list":[{"number":1},{}]}"#, "“list.1.number” is missing"), ("{}", "“list” is missing"),
    ])
    func aFieldInAListIsNamedByItsPlace(line: String, detail: String) throws {
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        }
        #expect(ImportFailure(error).detail == detail)
    }
}
