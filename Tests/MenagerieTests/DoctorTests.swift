import Foundation
import HTTP
import Logging
import TestSupport
import Testing

@testable import Menagerie

/// `menagerie doctor` and `menagerie licences`, as a person runs them.
@Suite("menagerie doctor", .slow) struct DoctorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func doctor(_ arguments: String...) async throws -> Program.Result {
        try await Program.menagerie.run(["doctor", "--data-dir", folder.path + "/data"] + arguments)
    }

    @Test func whatIsWellIsSaid() async throws {
        let result = try await doctor("--set", "http.port=0")
        #expect(result.status == 0, "\(result.output)")
        for subject in ["program", "system", "processor", "memory", "data", "port", "sandbox", "model"] {
            #expect(result.output.contains(" \(subject) "), "\(subject)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/history.sqlite"))
    }

    @Test(arguments: [("data", "ok"), ("a/data", "ok"), ("file", "WRONG"), ("file/data", "WRONG")])
    func aDataFolderMayBeRelativeButNoFile(path: String, verdict: String) async throws {
        try Data("a file".utf8).write(to: URL(filePath: folder.path + "/file"))
        var report = DoctorReport()
        _ = report.examine(dataDirectory: try Settings(flags: ["history.data_directory": folder.path + "/" + path]))
        #expect(report.lines.first?.hasPrefix(verdict) == true, "\(report.lines)")
        var relative = DoctorReport()
        _ = relative.examine(dataDirectory: try Settings(flags: ["history.data_directory": "no-folder-of-this-name"]))
        #expect(relative.isWrong == false, "\(relative.lines)")
    }

    @Test func aTakenPortIsWrong() async throws {
        let server = Server(
            configuration: .standard, router: Router(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let port = try #require(try server.start().first?.port)
        let result = try await doctor("--set", "http.port=\(port)")
        await server.shutdown()
        #expect(result.status == 1)
        #expect(result.output.contains("WRONG  port"))
        #expect(result.output.contains("where another program does"))
    }

    @Test func aSocketIsTriedAndRemovedAndTheCertificateIsRead() throws {
        let socket = folder.path + "/socket"
        var report = DoctorReport()
        report.examine(port: try Settings(flags: ["http.unix_socket": socket]), dataDirectory: nil)
        #expect(report.lines == ["ok     port        \(socket) is free"])
        #expect(!FileManager.default.fileExists(atPath: socket))
        let missing = ["http.port": "0", "http.tls_certificate": "/nowhere/a", "http.tls_key": "/nowhere/b"]
        report.examine(port: try Settings(flags: missing), dataDirectory: nil)
        #expect(report.isWrong && report.lines.last?.contains("“/nowhere/a”") == true, "\(report.lines)")
    }

    @Test func aBrokenModelIsWrong() async throws {
        let models = folder.path + "/models/menagerie"
        try FileManager.default.createDirectory(atPath: models, withIntermediateDirectories: true)
        try Data("no manifest".utf8).write(to: URL(filePath: models + "/manifest.json"))
        let result = try await doctor(
            "--set", "http.port=0", "--set", "recognition.models_directory=\(folder.path)/models")
        #expect(result.status == 1)
        #expect(result.output.contains("WRONG  model"))
    }

    @Test func aSettingThatIsUnknownIsWrong() async throws {
        try Data(#"{"http": {"prot": 1}}"#.utf8).write(to: URL(filePath: folder.path + "/settings.json"))
        let result = try await doctor("--config", folder.path + "/settings.json")
        #expect(result.status == 1)
        #expect(result.output.contains("WRONG  settings"))
        #expect(result.output.contains("http.prot"))
    }

    private func settingsReport(_ flags: [String: String]) async throws -> DoctorReport {
        var report = DoctorReport()
        let folders = ["history.data_directory": folder.path, "http.public_directory": folder.path]
        await report.examine(settings: try Settings(flags: folders.merging(flags) { $1 }))
        return report
    }

    @Test(arguments: [
        ["mqtt.url": "http://broker"], ["mqtt.url": "mqtt://broker", "mqtt.topic": "a/b"],
        ["frigate.url": "http://frigate.local:5000"], ["connections.public_url": "zoo"],
        ["connections.public_url": "http://zoo?a=b"],
        ["frigate.url": "http://frigate:5000", "mqtt.url": "mqtt://broker", "frigate.labels": " , "],
        ["frigate.url": "http://frigate:5000", "mqtt.url": "mqtt://broker", "frigate.topic": "fri\tgate"],
        ["frigate.url": "http://frigate:5000", "mqtt.url": "mqtt://broker", "frigate.topic": "fri\u{85}gate"],
        [
            "frigate.url": "http://frigate:5000", "mqtt.url": "mqtt://broker",
            "frigate.topic": String(repeating: "a", count: 65_530),
        ],
        ["mqtt.url": "mqtt://broker", "mqtt.user": "a\tb"], ["mqtt.url": "mqtt://broker", "mqtt.password": "x"],
        ["mqtt.url": "mqtt://broker", "mqtt.ca_file": "/etc/ssl/broker.pem"],
        ["webhooks.file": "/nowhere/hooks.json"], ["http.allowed_hosts": "http://zoo"], ["http.cors_origins": "zoo"],
        ["http.host": "0.0.0.0"], ["security.keys": "/nowhere/keys.json"], ["history.backend": "postgresql"],
        ["tracing.otlp_endpoint": "collector"], ["http.public_directory": "/nowhere"],
    ])
    func aSettingThatStopsTheStartIsWrong(flags: [String: String]) async throws {
        let report = try await settingsReport(flags)
        #expect(report.isWrong)
        #expect(report.lines.count == 1 && flags.keys.contains { report.lines[0].contains($0) }, "\(report.lines)")
    }

    @Test func everyFaultOfTheSettingsIsNamedWithoutPasswords() async throws {
        let report = try await settingsReport([
            "connections.public_url": "http://me:secret@zoo", "frigate.url": "http://me:secret@frigate",
        ])
        #expect(report.lines.count == 2 && report.lines.allSatisfy { $0.hasPrefix("WRONG") }, "\(report.lines)")
        #expect(!report.lines.joined().contains("secret"))
    }

    @Test(arguments: ["security.open", "security.create_key"])
    func othersMayReachAServiceThatIsOpenOrHasKeys(setting: String) async throws {
        let report = try await settingsReport(["http.host": "0.0.0.0", setting: "true"])
        #expect(report.lines == ["ok     settings    read without fault"])
    }

    @Test func licencesNameEveryPart() async throws {
        let result = try await Program.menagerie.run(["licences"])
        #expect(result.status == 0)
        for part in ["OpenVINO", "GRDB.swift", "FFmpeg", "ViT-Tiny"] {
            #expect(result.output.contains(part), "\(part)")
        }
    }
}
