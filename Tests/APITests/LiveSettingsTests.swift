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
}
