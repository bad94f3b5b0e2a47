import Base
import HTTP
import Testing

@testable import API

@Suite struct LiveSettingsTests {
    @Test(arguments: [("/live", "fi"), ("/live?lang=en", "fi"), ("/live?lang=fi", "en")])
    func nullRestoresTheLanguageThatTheClientPrefers(target: String, preferred: String) async throws {
        let request = Request(target: target, headers: ["Accept-Language": "\(preferred), sv;q=0.5"])
        let other = preferred == "fi" ? "en" : "fi"
        var settings = try LiveSettings(request)
        for (lang, expected) in [(other, other), (nil, preferred)] {
            settings = try await settings.changed(by: ["lang": lang]) { $0 }
            #expect(settings.language.rawValue == expected)
        }
    }

    @Test(arguments: ["3", "3.0", "3e0", "\"3\""]) func aWholeNumberIsReadHoweverItIsWritten(number: String) throws {
        guard case .settings(let changes) = try LiveCommand(#"{"type":"settings","top":\#(number)}"#) else {
            Issue.record("the message is of another type")
            return
        }
        #expect(changes == ["top": "3"])
    }

    @Test func nullKeepsTheFrameWithoutTapAndNote() throws {
        guard case .keep(let tap, let note) = try LiveCommand(#"{"type":"keep","tap":null,"note":null}"#) else {
            Issue.record("the message is of another type")
            return
        }
        #expect(tap == nil && note == nil)
        #expect(throws: ProblemDetails.self) { try LiveCommand(#"{"type":"keep","tap":7}"#) }
    }
}
