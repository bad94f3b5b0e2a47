import Foundation
import TestSupport
import Testing

/// The built program, run as an operator runs it, with a data directory of its own.
final class AttackedService {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    private let process = Process()
    private let output: URL
    let port: Int
    var identifier: Int32 { process.processIdentifier }

    /// Starts the service and waits until it listens.
    /// - Parameter environment: beside what the program needs; whatever else is set for a service is left out.
    init(folder: TemporaryFolder, settings: [String] = [], environment: [String: String] = [:]) async throws {
        output = URL(filePath: folder.path).appending(path: "output-\(UUID().uuidString)")
        try Data().write(to: output)
        process.executableURL = Program.menagerie.url
        process.arguments =
            ["serve", "--port", "0", "--data-dir", folder.path + "/data"]
            + [
                "recognition.models_directory=\(Self.package.appending(path: "Models").path)",
                "http.public_directory=\(Self.package.appending(path: "Public").path)",
            ].flatMap { ["--set", $0] } + settings.flatMap { ["--set", $0] }
        process.environment = Self.environment.merging(environment) { _, own in own }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = process.standardOutput
        try process.run()
        let deadline = ContinuousClock.now + .seconds(240)
        while true {
            let text = try String(contentsOf: output, encoding: .utf8)
            if let found = text.firstMatch(of: /Listening\ .*address=\S*:([0-9]+)\s/), let number = Int(found.output.1)
            {
                port = number
                return
            }
            guard process.isRunning, .now < deadline else {
                process.terminate()
                throw Failure(output: text)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    struct Failure: Error {
        let output: String
    }

    private static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MENAGERIE_") }
    }

    /// What it wrote so far, to standard output and the log.
    func text() throws -> String { try String(contentsOf: output, encoding: .utf8) }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    func request(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: String = ""
    ) async throws -> RawResponse {
        var head =
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return try #require(try await exchange(port, head + "\r\n" + body).last)
    }
}

/// Waits for something that comes soon, but not at once.
func eventually(_ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(90)
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw NeverHappened() }
        try await Task.sleep(for: .milliseconds(50))
    }
}

/// It did not come true in a time that is far beyond what it takes.
struct NeverHappened: Error {}
