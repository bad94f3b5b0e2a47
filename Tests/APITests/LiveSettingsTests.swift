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

    @Test(
        "A message with a member twice is refused",
        arguments: [
            #"{"type":"frame","at_ms":1,"at_ms":2}"#, #"{"type":"untap","id":"a","id":"b"}"#,
            #"{"type":"settings","type":"unpoint"}"#,
        ])
    func repeatedMember(message: String) {
        let problem = #expect(throws: ProblemDetails.self) { try LiveCommand(message) }
        #expect(problem?.detail?.contains("twice") == true, "\(message)")
    }

    @Test func aLineOrStateThatIsGivenTwiceIsRefused() {
        #expect(throws: ProblemDetails.self) {
            try LapRequest.line(Array(#"{"line":null,"line":[[0.5,0],[0.5,1]]}"#.utf8))
        }
        #expect(throws: ProblemDetails.self) {
            try LapRequest.state(Array(#"{"state":"start","state":"warm_up"}"#.utf8))
        }
    }
}
