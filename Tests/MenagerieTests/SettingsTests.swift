import ArgumentParser
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

    @Test(arguments: ["", "#", "frigate/#", "fri+gate", "frigate/"])
    func aTopicOfFrigateHasNoWildcards(topic: String) throws {
        let settings = try Settings(flags: ["frigate.topic": topic])
        let error = #expect(throws: SettingsError.self) { try Connected.frigateTopic(settings) }
        #expect(error?.description.contains("frigate.topic") == true)
        #expect(try Connected.frigateTopic(Settings(flags: ["frigate.topic": "home/frigate"])) == "home/frigate")
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
        (#"{"http": [1]}"#, "http in"), (#"{"http": null}"#, "an object with settings"),
        (#"{"http": 9}"#, "has to be an object with settings"), ("[1]", "has to be a JSON object"),
        ("5", "has to be a JSON object"), (#"{"http": {"prot": 1}}"#, "Did you mean http.port"),
        (#"{"http": {"port": null}}"#, "http.port"),
        (#"{"http": "#, "is not JSON"),
    ])
    func wrongFilesAreRefusedByName(text: String, mention: String) throws {
        let error = #expect(throws: SettingsError.self) { try settings(file: text) }
        #expect(error?.description.contains(mention) == true, "\(error?.description ?? "no error")")
    }

    @Test(arguments: [
        (#"{"http": {"port": 1, "host": "a", "port": 2}}"#, "http.port is in"),
        ("{http: {port: 1}, // http\n 'http': {host: '::1'}}", "http is in"),
        (#"{"http": {"port": 1}, "http.port": 2}"#, "http.port is in"),
    ])
    func whatIsGivenTwiceIsRefused(text: String, mention: String) {
        let error = #expect(throws: SettingsError.self) { try settings(file: text) }
        #expect(error?.description.contains(mention) == true, "\(error?.description ?? "no error")")
    }

    /// A password would get other digits.
    @Test func aTextIsNoNumberThatIsRounded() throws {
        for number in ["12345678901234567890", "1.10"] {
            let error = #expect(throws: SettingsError.self) {
                try settings(file: "{\"mqtt\": {\"password\": \(number)}}")
            }
            #expect(error?.description.contains("has to be a text in quotes") == true, "\(error?.description ?? "")")
        }
        #expect(try settings(file: #"{"mqtt": {"password": 1234}}"#)[Settings.mqttPassword] == "1234")
        #expect(try settings(file: #"{"http": {"tls_minimum_version": 1.3}}"#)[Settings.tlsMinimumVersion] == "1.3")
    }

    /// Editors of Windows offer it as “Unicode”.
    @Test func aFileInUTF16IsCalledThat() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".json")
        try #"{"http": {"port": 9}}"#.write(to: file, atomically: false, encoding: .utf16)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = #expect(throws: SettingsError.self) { try Settings(environment: [:], file: file.path) }
        #expect(error?.description.contains("not in UTF-8") == true, "\(error?.description ?? "no error")")
    }

    @Test func namesMayComeBackElsewhere() throws {
        let text = #"""
            {"mqtt": {"url": "mqtt://a,\"url\":1", /* "url": 2 */ "password": "url"},
            "frigate": {"url": "", 'topic': '{url: 1}'}}
            """#
        #expect(try settings(file: text)[Settings.mqttPassword] == "url")
    }

    @Test func unknownEnvironmentVariablesAreRefused() {
        let error = #expect(throws: SettingsError.self) { try Settings(environment: ["MENAGERIE_HTTP_PROT": "1"]) }
        let message = error?.description ?? ""
        #expect(
            message.contains("MENAGERIE_HTTP_PROT is not a setting. Did you mean MENAGERIE_HTTP_PORT"), "\(message)")
    }

    /// Kubernetes sets these variables in every container, if a Service is called `menagerie`.
    @Test func theVariablesOfAServiceAreNoSettings() throws {
        let links = [
            "MENAGERIE_SERVICE_HOST": "10.0.0.1", "MENAGERIE_SERVICE_PORT": "80", "MENAGERIE_SERVICE_PORT_HTTP": "80",
            "MENAGERIE_PORT": "tcp://10.0.0.1:80", "MENAGERIE_PORT_80_TCP": "tcp://10.0.0.1:80",
            "MENAGERIE_PORT_80_TCP_PROTO": "tcp", "MENAGERIE_PORT_80_TCP_PORT": "80",
            "MENAGERIE_PORT_80_TCP_ADDR": "10.0.0.1",
        ]
        #expect(try Settings(environment: links)[Settings.port] == 8080)
        #expect(throws: SettingsError.self) { try Settings(environment: ["MENAGERIE_PORTS": "80"]) }
    }

    @Test(arguments: [
        ("/nowhere/menagerie.json", "no such file"), ("/dev/zero", "not a readable file"),
        ("/etc", "not a readable file"),
    ])
    func filesThatCannotBeReadAreNamed(path: String, reason: String) {
        let error = #expect(throws: SettingsError.self) { try Settings(file: path) }
        #expect(error?.description.contains("\(path) cannot be used") == true, "\(error?.description ?? "no error")")
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "no error")")
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

    @Test func aSettingThatIsGivenByItsFlagAndBySetIsRefused() throws {
        let options = try SettingsOptions.parse(
            ["--log-level", "error", "--set", "http.port=1", "--set", "http.port=2"])
        #expect(try options.load()[Settings.port] == 2)
        #expect(try options.load(["http.host": nil])[Settings.logLevel] == "error")
        let error = #expect(throws: ValidationError.self) { try options.load(["http.port": "0"]) }
        #expect(error?.message.contains("--set http.port=1: a flag of its own sets it too") == true, "\(error as Any)")
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
