import Foundation
import Logging
import Testing

@testable import Telemetry

/// The format of log lines. No content may imitate another line or field.
@Suite struct LogLinesTests {
    private func line(_ format: LogFormat, _ body: (inout LogLines) -> Void) -> String {
        var lines = LogLines(format: format)
        body(&lines)
        return lines.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    private func fields(_ format: LogFormat, _ value: String) -> String {
        line(format) { lines in
            lines.begin(level: "info", logger: "test", message: "Message")
            lines.field("value", value)
            lines.end()
        }
    }

    @Test func aLineOfTextIsTimeLevelLoggerMessageAndFields() throws {
        let text = line(.text) { lines in
            lines.begin(level: "info", logger: "menagerie.access", message: "Request done")
            lines.field("bytes", 1234)
            lines.field("ms", hundredths: 150)
            lines.field("target", "/breeds?q=a b")
            lines.field("other", "plain")
            lines.end()
        }
        let expected =
            /([0-9T:.\-]+Z) info menagerie\.access: Request done bytes=1234 ms=1\.5 target="\/breeds\?q=a b" other=plain\n/
        let match = try #require(text.wholeMatch(of: expected))
        let time = try Date(String(match.1), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        #expect(abs(time.timeIntervalSinceNow) < 60)
    }

    @Test func aLineOfJSONIsOneObjectOfTexts() throws {
        let text = line(.json) { lines in
            lines.begin(level: "warning", logger: "a\"b", message: "two\nlines")
            lines.field("count", -7)
            lines.field("ms", hundredths: 5)
            lines.field("value", "\u{1}\t\"\\é\u{9b}31m")
            lines.end()
        }
        #expect(text.hasSuffix("}\n") && text.dropLast().allSatisfy { !$0.isNewline })
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        var object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
        #expect(object.removeValue(forKey: "time")?.utf8.count == 24)
        #expect(
            object == [
                "level": "warning", "logger": "a\"b", "message": "two\nlines", "count": "-7", "ms": "0.05",
                "value": "\u{1}\t\"\\é\u{9b}31m",
            ])
    }

    @Test(arguments: [
        ("plain/é", "plain/é"), ("", "\"\""), ("a b", "\"a b\""), ("a=b", "\"a=b\""), ("a\"b", #""a\"b""#),
        ("x\n2026-01-01T00:00:00.000Z info fake: line", #""x\n2026-01-01T00:00:00.000Z info fake: line""#),
        ("x\r", #""x\r""#), ("\u{1b}[2J", #""\u001b[2J""#), ("\u{9b}2J", #""\u009b2J""#), ("a\u{7f}", #""a\u007f""#),
        ("a\u{2028}b", #""a\u2028b""#), ("a\u{202e}b", #""a\u202eb""#), ("a\u{e0001}", #""a\udb40\udc01""#),
    ])
    func noValueForgesALineOrAField(value: String, written: String) {
        let text = fields(.text, value)
        #expect(text.hasSuffix(" info test: Message value=\(written)\n"), "\(text)")
        #expect(text.filter(\.isNewline).count == 1)
    }

    @Test(arguments: [(0, "0.0"), (5, "0.05"), (10, "0.1"), (100, "1.0"), (1234, "12.34"), (999_999_900, "9999999.0")])
    func hundredthsAreWrittenAsSwiftWritesNumbers(hundredths: Int, written: String) {
        let text = line(.text) { $0.field("ms", hundredths: hundredths) }
        #expect(text == " ms=\(written)")
        #expect(text == " ms=\(Double(hundredths) / 100)")
    }

    @Test func linesLongerThanTheMemoryAreWhole() {
        let long = String(repeating: "x", count: 100_000)
        #expect(fields(.text, long).hasSuffix("value=\(long)\n"))
    }

    @Test func theTimeIsThatOfTheCalendar() {
        var clock = LogClock()
        // The times go forwards and backwards, since a machine's clock can be set.
        for (seconds, milliseconds, expected) in [
            (0, 0, "1970-01-01T00:00:00.000Z"), (951_827_696, 789, "2000-02-29T12:34:56.789Z"),
            (951_827_696, 5, "2000-02-29T12:34:56.005Z"), (4_102_444_799, 999, "2099-12-31T23:59:59.999Z"),
            (951_827_695, 0, "2000-02-29T12:34:55.000Z"),
        ] {
            clock.update(to: timespec(tv_sec: seconds, tv_nsec: milliseconds * 1_000_000 + 999_999))
            #expect(withUnsafeBytes(of: clock.text) { String(decoding: $0, as: UTF8.self) } == expected)
        }
    }
}
