import Base
import Foundation
import Testing

@Suite("JSON strings")
struct JSONTextTests {
    @Test(
        "Foundation reads back what was written",
        arguments: ["", "plain", "say \"hi\"\\", "tab\tline\nreturn\r", "\u{0}\u{1F}\u{7F}", "äö – 猫", "a/b"])
    func isReadBack(_ text: String) throws {
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes)
        #expect(try JSONDecoder().decode([String].self, from: Data("[".utf8 + bytes + "]".utf8)) == [text])
        #expect(!bytes.contains { $0 < 0x20 || $0 == 0x7F })
    }
}

@Suite("Numbers in texts")
struct DecimalTextTests {
    @Test("Numbers are read as in JSON")
    func right() {
        #expect(Double(decimal: "0.5") == 0.5 && Double(decimal: "-1e-3") == -0.001 && Double(decimal: "20") == 20)
        #expect(Int(decimal: "20") == 20 && Int(decimal: "-3") == -3 && Int(decimal: "0") == 0)
        #expect(UInt64(decimal: "18446744073709551615") == .max)
    }

    @Test(
        "Other texts are no numbers",
        arguments: ["", " 1", "1 ", "+1", "01", "0x10", "1_0", ".", "-", "--1", "inf", "nan", "infinity", "1,0", "١"])
    func wrong(_ text: String) {
        #expect(Double(decimal: text) == nil)
        #expect(Int(decimal: text) == nil)
    }

    @Test func numbersHaveTheirTypesRange() {
        for text in [".5", "5.", "0x1p4", "1e999", "-0x1"] { #expect(Double(decimal: text) == nil, "\(text)") }
        for text in ["2.0", "1e3", "-01", "99999999999999999999"] { #expect(Int(decimal: text) == nil, "\(text)") }
        #expect(UInt64(decimal: "-1") == nil && UInt64(decimal: "18446744073709551616") == nil)
    }
}

@Suite("Percent coding")
struct PercentCodingTests {
    @Test("What was encoded is decoded again", arguments: ["", "a b+c", "äiti/äö?&=%", "~-._"])
    func roundTrip(_ text: String) {
        #expect(PercentCoding.decode(PercentCoding.encode(text).utf8) == text)
    }

    @Test("Only unreserved characters stay as they are")
    func reserved() {
        #expect(PercentCoding.encode("a/b c~") == "a%2Fb%20c~")
    }

    @Test("A broken escape is refused", arguments: ["%", "%4", "%zz", "a%f"])
    func broken(_ text: String) {
        #expect(PercentCoding.decode(text.utf8) == nil)
    }
}

@Suite("Texts of others")
struct ForeignTextTests {
    @Test(
        "A name cannot steer the terminal",
        arguments: [
            ("Misu & Ötzi.jpg", "Misu & Ötzi.jpg"), ("a\u{1B}[31m\nb", "a\u{FFFD}[31m\u{FFFD}b"),
            ("gpj.\u{202E}a", "gpj.\u{FFFD}a"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
        ])
    func printable(name: String, shown: String) {
        #expect(name.printable == shown)
    }

    @Test(
        "A spreadsheet takes no text for a formula",
        arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＋1", "－1", "＠SUM(A1)"])
    func harmless(text: String) {
        #expect(CSVText.harmless(text) == "'" + text)
        #expect(CSVText.harmless("a" + text) == "a" + text)
        #expect(CSVText.line(["-", text]).hasPrefix("'-,") && CSVText.line([text]).contains("'"))
    }

    @Test("A combining mark does not hide a quotation mark")
    func quoted() {
        let line = CSVText.line(["say \"\u{301}hi, there", "a"])
        #expect(line.utf8.elementsEqual("\"say \"\"\u{301}hi, there\",a\r\n".utf8))
    }
}

@Suite("Counts in sentences")
struct CountedTests {
    @Test("One is singular, anything else plural")
    func words() {
        #expect([0, 1, 2].map { counted($0, "scan") } == ["0 scans", "1 scan", "2 scans"])
        #expect([0, 1, 2].map { counted($0, "class", "classes") } == ["0 classes", "1 class", "2 classes"])
    }
}

@Suite("Cursors")
struct CursorTests {
    @Test(
        "A cursor comes back from its text",
        arguments: [
            Cursor("breeds", number: 20), Cursor("history", number: .max, id: "\(ULID.next())"),
            Cursor("favourites", number: 0, id: "a:ä?"),
        ])
    func comesBack(cursor: Cursor) {
        #expect(Cursor(cursor.description) == cursor)
        #expect(cursor.description.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", "x", "AAAA", "🐈", "YnJlZWRz", "YnJlZWRzOjE", "YnJlZWRzOi0xOg", "YnJlZWRzOng6", "aGlzdG9yeToxOgA",
        ])
    func isRefused(text: String) {
        #expect(Cursor(text) == nil)
    }
}
