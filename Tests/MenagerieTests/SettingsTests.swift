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
        (#"{"http": {"port": null}}"#, "http.port"),
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

    // MARK: Values in files

    /// Calls the body with the path of a file that holds the text.
    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }

    @Test func everySourceMayNameAFileThatHoldsTheValue() throws {
        try withFile("postgresql://anna:pw@db/zoo\n") { path in
            let read = [
                try Settings(environment: ["MENAGERIE_HISTORY_POSTGRESQL_URL_FILE": path]),
                try Settings(flags: ["history.postgresql_url_file": path]),
                try settings(file: "{\"history\": {\"postgresql_url_file\": \"\(path)\"}}"),
            ]
            for settings in read { #expect(settings[Settings.postgreSQLURL] == "postgresql://anna:pw@db/zoo") }
        }
        try withFile("9000") { (path: String) throws in
            let environment = ["MENAGERIE_HTTP_PORT_FILE": path]
            #expect(try Settings(environment: environment)[Settings.port] == 9000)
            #expect(try Settings(flags: ["http.port": "1"], environment: environment)[Settings.port] == 1)
        }
    }

    @Test func whatStandsInSuchAFileIsNeverShown() throws {
        try withFile("s3cr3t") { path in
            let error = #expect(throws: SettingsError.self) {
                try Settings(environment: ["MENAGERIE_HTTP_PORT_FILE": path])
            }
            #expect(error?.description.contains("s3cr3t") == false)
            #expect(error?.description.contains("http.port") == true && error?.description.contains(path) == true)
        }
    }

    @Test func aFileThatIsMissingAndAValueGivenTwiceStopTheStart() throws {
        let missing = #expect(throws: SettingsError.self) {
            try Settings(environment: ["MENAGERIE_HISTORY_POSTGRESQL_URL_FILE": "/nowhere/secret"])
        }
        #expect(missing?.description.contains("/nowhere/secret") == true)
        try withFile("1") { path in
            let twice = #expect(throws: SettingsError.self) {
                try Settings(environment: ["MENAGERIE_HTTP_PORT_FILE": path, "MENAGERIE_HTTP_PORT": "1"])
            }
            #expect(twice?.description.contains("MENAGERIE_HTTP_PORT_FILE") == true)
        }
        #expect(throws: SettingsError.self) { try Settings(environment: ["MENAGERIE_HTTP_PROT_FILE": "/x"]) }
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
