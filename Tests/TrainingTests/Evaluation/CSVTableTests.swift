import Testing
@testable import Training

@Suite struct CSVTableTests {
    @Test func `quoted fields, line ends and a byte order mark are read`() throws {
        let table = try CSVTable("\u{FEFF}path,class\r\n\"a,\"\"b\"\".jpg\",cat\n\"two\nlines\",dog\rc.jpg,\n\n")
        #expect(table.columns == ["path", "class"])
        #expect(table.rows.map(\.fields) == [["a,\"b\".jpg", "cat"], ["two\nlines", "dog"], ["c.jpg", ""]])
        #expect(table.rows.map(\.line) == [2, 3, 5])
        #expect(table.index(of: "class") == 1 && table.index(of: "group") == nil)
    }

    @Test(arguments: [
        ("", CSVError(line: 1, .empty)),
        ("a,b,a\n", CSVError(line: 1, .repeatedColumn("a"))),
        ("a,b\n1,2\n3\n", CSVError(line: 3, .wrongCount(1, expected: 2))),
        ("a\n\"open\nstill", CSVError(line: 2, .openQuote)),
        ("a\n\"x\"y\n", CSVError(line: 2, .textAfterQuote)),
        ("a\nx\"y\"\n", CSVError(line: 2, .quoteInside)),
    ])
    func `errors name the fault and its line`(text: String, error: CSVError) {
        #expect(throws: error) { try CSVTable(text) }
    }
}
