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
        ("", "line 1: the first line has to name the columns"),
        ("a,b,a\n", "line 1: the column \"a\" is there twice"),
        ("a,b\n1,2\n3\n", "line 3: 1 fields where the first line has 2"),
        ("a\n\"open\nstill", "line 2: a quotation mark is never closed"),
        ("a\n\"x\"y\n", "line 2: text after a closing quotation mark; a comma has to follow"),
        (
            "a\nx\"y\"\n",
            "line 2: a quotation mark inside a field that does not begin with one; write \"…\"\"…\""
        ),
    ])
    func `errors name the fault and its line`(text: String, error: String) {
        #expect(#expect(throws: CSVError.self) { try CSVTable(text) }?.description == error)
    }
}
