import Testing

@testable import Connections

@Suite struct ImmichRunTests {
    @Test(arguments: [
        ("Misu & Ötzi.jpg", "Misu & Ötzi.jpg"), ("a\u{1B}[31m\nb", "a\u{FFFD}[31m\u{FFFD}b"),
        ("gpj.\u{202E}a", "gpj.\u{FFFD}a"),
    ])
    func aNameCannotSteerTheTerminal(_ name: String, _ shown: String) {
        #expect(ImmichRun.shown(name) == shown)
    }
}
