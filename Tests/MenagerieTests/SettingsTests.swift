import Foundation
import Testing

@testable import Menagerie

@Suite struct SettingsTests {
    /// Writes a settings file and reads it back.
    private func settings(file text: String, environment: [String: String] = [:]) throws -> Settings {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".json")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try Settings(environment: environment, file: file.path)
    }

    @Test func defaultsHoldWithoutAnySource() throws {
        let settings = try Settings()
        #expect(settings[Settings.port] == 8080)
        #expect(settings[Settings.host] == "127.0.0.1")
    }

    @Test func flagsBeatTheEnvironmentWhichBeatsTheFile() throws {
        let file = #"{"http": {"port": 1000, "host": "::1"}, "log": {"level": "debug"}}"#
        let fromFile = try settings(file: file)
        #expect(fromFile[Settings.port] == 1000)
        let fromEnvironment = try settings(file: file, environment: ["MENAGERIE_HTTP_PORT": "2000", "HOME": "/"])
        #expect(fromEnvironment[Settings.port] == 2000)
        #expect(fromEnvironment[Settings.host] == "::1")
        let fromFlags = try Settings(
            flags: ["http.port": "3000"], environment: ["MENAGERIE_HTTP_PORT": "2000"], file: nil)
        #expect(fromFlags[Settings.port] == 3000)
    }

    @Test func filesMayHaveCommentsAndTrailingCommas() throws {
        let settings = try settings(file: "// A comment\n{\"http\": {/* here */ \"idle_timeout_s\": 5.5,},}")
        #expect(settings[Settings.idleTimeout] == 5.5)
    }

    @Test(arguments: [
        (#"{"http": {"prot": 1}}"#, "http.prot"),
        (#"{"http": {"port": 70000}}"#, "a whole number from 0 to 65535"),
        (#"{"http": {"port": "abc"}}"#, "\"abc\""),
        (#"{"log": {"level": "loud"}}"#, "trace"),
        (#"{"log": {"access": "perhaps"}}"#, "true or false"),
        (#"{"http": {"port": [1]}}"#, "has to be"),
        (#"{"http": "#, "is no JSON"),
    ])
    func wrongFilesAreRefusedByName(text: String, mention: String) throws {
        let error = #expect(throws: SettingsError.self) { try settings(file: text) }
        #expect(error?.description.contains(mention) == true, "\(error?.description ?? "no error")")
    }

    @Test func unknownEnvironmentVariablesAreRefused() {
        let error = #expect(throws: SettingsError.self) { try Settings(environment: ["MENAGERIE_HTTP_PROT": "1"]) }
        #expect(error?.description.contains("MENAGERIE_HTTP_PROT") == true)
    }

    @Test func missingFilesAreNamed() {
        let error = #expect(throws: SettingsError.self) { try Settings(file: "/nowhere/menagerie.json") }
        #expect(error?.description.contains("/nowhere/menagerie.json") == true)
    }

    @Test func everyDefaultIsWithinItsOwnRange() throws {
        for setting in Settings.all {
            let text = setting.defaultJSON.trimmingCharacters(in: ["\""])
            #expect(throws: Never.self) { try setting.validate(text, from: .flag(setting.name)) }
        }
    }

    @Test func theCommittedFileIsTheTemplate() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("Config/menagerie.json")
        #expect(try String(contentsOf: file, encoding: .utf8) == Settings.fileTemplate)
        #expect(throws: Never.self) { try Settings(file: file.path) }
    }
}
